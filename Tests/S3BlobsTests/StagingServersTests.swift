import Crypto
import Domain
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

/// Several servers that share a bucket: an area for each.
@Suite("Staged bytes of several servers", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct StagingServersTests {
    private let name = ObjectIDGenerator().next()

    private func write(_ bytes: ByteBuffer, _ range: Range<Int>, by area: S3StagingArea) async throws {
        let writer = try await area.stage(as: name).write(at: Int64(range.lowerBound), digesting: [])
        try await writer.append(try #require(bytes.getSlice(at: range.lowerBound, length: range.count)))
        _ = try await writer.finish()
    }

    private func segments(_ layout: S3BlobLayout) throws -> [String] {
        try StagingFixture.objects(layout).filter { $0.contains("/uploads/") }
    }

    @Test("a server that is known to have ended leaves its commits at once, and does not count as living")
    func knownEnd() async throws {
        try await StagingFixture.withLayout { layout in
            func area(_ server: String, ended: Set<String> = []) throws -> S3StagingArea {
                S3StagingArea(
                    try StagingFixture.client(),
                    layout: layout,
                    pool: .singleton,
                    server: server,
                    ended: ended
                )
            }
            let note = CommitNote(file: name, blob: BlobName(try S3Fixture.key()), isDraft: true)
            for server in ["former", "other"] {
                let staged = try await area(server).stage(ByteBuffer(string: server))
                try await staged.noteCommit(as: note.blob, of: server == "former" ? name : ObjectIDGenerator().next())
            }
            #expect(try await area("stranger").leftovers() == [])
            let new = try area("new", ended: ["former"])
            #expect(try await new.leftovers() == [.committing(note)])
            #expect(try await new.unsettled() == [note])
            #expect(try await new.hasLivingServers())
            #expect(try await !area("another", ended: ["former", "other", "new", "stranger"]).hasLivingServers())
        }
    }

    @Test("a third server makes the file of what two have taken, and the store copies it")
    func composing() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<3).map { _ in try StagingFixture.area(layout) }
            let bytes = StagingFixture.pattern(19 << 20)
            try await write(bytes, 0..<9 << 20, by: areas[0])
            try await write(bytes, 9 << 20..<19 << 20, by: areas[1])
            try await write(ByteBuffer(repeating: 7, count: 100), 0..<100, by: areas[1])
            try await write(bytes, 0..<100, by: areas[0])
            let staged = try await areas[2].stage(as: name)
            let facts = try await staged.finish(size: Int64(bytes.readableBytes), needsMD5: false)
            var hasher = ContentHasher()
            bytes.withUnsafeReadableBytes { hasher.update($0) }
            #expect(facts.blob.digest == .contentHash(hasher.finalize()))
            let copyable = try #require(staged as? any S3CopyableBlob)
            try await copyable.copy(to: "\(layout.root)blob", facts.blob)
            let client = try StagingFixture.client()
            #expect(try client.get("\(layout.root)blob", limit: 32 << 20).map { ByteBuffer(bytes: $0) } == bytes)
            #expect(try client.head("\(layout.root)blob")?.metadata == ["content-hash": "\(facts.blob.digest)"])
            await staged.discard()
            #expect(try segments(layout).isEmpty)
        }
    }

    @Test("bytes in memory, of one segment and of a few small ones become an object")
    func small() async throws {
        try await StagingFixture.withLayout { layout in
            let client = try StagingFixture.client()
            for (index, cut) in [nil, 0, 3, 70_000].enumerated() {
                let area = try StagingFixture.area(layout) { if cut != nil { $0.memory = 0 } }
                let bytes = StagingFixture.pattern(100_000)
                let staged = try await area.stage(bytes)
                if let cut, cut > 0 {
                    let writer = staged.write(at: Int64(cut), digesting: [])
                    try await writer.append(try #require(bytes.getSlice(at: cut, length: 100)))
                    _ = try await writer.finish()
                }
                let facts = try await staged.finish(size: 99_999, needsMD5: false).blob
                let expected = Array(bytes.readableBytesView.prefix(99_999))
                #expect(facts.md5 == Insecure.MD5.hash(data: expected).hexadecimal)
                let copyable = try #require(staged as? any S3CopyableBlob)
                let key = "\(layout.root)blob\(index)"
                try await copyable.copy(to: key, facts)
                #expect(try client.get(key, limit: 1 << 20) == expected)
                let other = BlobFacts(size: facts.size, digest: .contentHash("other"), md5: nil)
                await expectFailure(.internalFailure) { try await copyable.copy(to: key, other) }
                await staged.discard()
            }
        }
    }

    @Test("bytes that were written last are current, on whichever server")
    func order() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<2).map { _ in try StagingFixture.area(layout) }
            let old = try await areas[0].stage(as: name)
            let stalled = old.write(at: 0, digesting: [])
            try await stalled.append(ByteBuffer(string: "aaaa"))
            _ = try await stalled.finish()
            try await write(ByteBuffer(string: "bbbb"), 0..<4, by: areas[1])
            // This server listed the segments before the other one wrote.
            let writer = old.write(at: 1, digesting: [])
            try await writer.append(ByteBuffer(string: "cc"))
            _ = try await writer.finish()
            for area in areas {
                #expect(try await area.stage(as: name).read(at: 0, count: 9) == ByteBuffer(string: "bccb"))
            }
            // A late request of a writer that another server has followed.
            try await stalled.append(ByteBuffer(string: "late"))
            _ = try await stalled.finish()
            #expect(try await areas[1].stage(as: name).read(at: 0, count: 9) == ByteBuffer(string: "bccblate"))
        }
    }

    @Test("of writers with an order the larger one is current, whenever the bytes of the other arrive")
    func givenOrder() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<3).map { _ in try StagingFixture.area(layout) }
            let late = try await areas[0].stage(as: name).write(at: 0, order: 4, digesting: [])
            try await late.append(ByteBuffer(string: "late"))
            let writer = try await areas[1].stage(as: name).write(at: 0, order: 5, digesting: [])
            try await writer.append(ByteBuffer(string: "new"))
            _ = try await writer.finish()
            // Without its order it would be behind what the other one has put.
            _ = try await late.finish()
            try await late.append(ByteBuffer(string: "r"))
            _ = try await late.finish()
            for area in areas {
                #expect(try await area.stage(as: name).read(at: 0, count: 9) == ByteBuffer(string: "newer"))
            }
        }
    }

    @Test("bytes that arrive behind the end of a finished file do not prevent its copy")
    func lateBytes() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<2).map { _ in try StagingFixture.area(layout) }
            try await write(ByteBuffer(string: "abcd"), 0..<4, by: areas[0])
            let staged = try await areas[0].stage(as: name)
            let facts = try await staged.finish(size: 3, needsMD5: false).blob
            let late = try await areas[1].stage(as: name).write(at: 3, order: 99, digesting: [])
            try await late.append(ByteBuffer(string: "late"))
            _ = try await late.finish()
            #expect(try await staged.extent() == 7)
            let copyable = try #require(staged as? any S3CopyableBlob)
            try await copyable.copy(to: "\(layout.root)blob", facts)
            let client = try StagingFixture.client()
            #expect(try client.get("\(layout.root)blob", limit: 100) == Array("abc".utf8))
        }
    }

    @Test("a file that was cut ends there on all servers, and grows again")
    func truncation() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<2).map { _ in try StagingFixture.area(layout) }
            try await write(ByteBuffer(string: "abcdefgh"), 0..<8, by: areas[0])
            _ = try await areas[0].stage(as: name).finish(size: 3, needsMD5: false)
            #expect(try await areas[1].stage(as: name).extent() == 3)
            try await write(ByteBuffer(string: "...xyz"), 3..<6, by: areas[1])
            #expect(try await areas[0].stage(as: name).read(at: 0, count: 9) == ByteBuffer(string: "abcxyz"))
        }
    }

    @Test("small parts of several servers are joined, so that the store can copy them")
    func joining() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<2).map { _ in try StagingFixture.area(layout) }
            let bytes = StagingFixture.pattern(18 << 20)
            for index in 0..<18 { try await write(bytes, index << 20..<(index + 1) << 20, by: areas[index % 2]) }
            // Two of 8 MiB, and the rest.
            #expect(try segments(layout).count == 4)
            let staged = try await areas[0].stage(as: name)
            let facts = try await staged.finish(size: Int64(bytes.readableBytes), needsMD5: true).blob
            #expect(facts.md5 == Insecure.MD5.hash(data: Array(bytes.readableBytesView)).hexadecimal)
            var hasher = ContentHasher()
            bytes.withUnsafeReadableBytes { hasher.update($0) }
            #expect(facts.digest == .contentHash(hasher.finalize()))
        }
    }

    @Test("a server reads and finishes bytes whose segments another one has joined since")
    func joiningMeanwhile() async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<2).map { _ in try StagingFixture.area(layout) }
            let bytes = StagingFixture.pattern(8 << 20)
            let parts = (0..<8).map { $0 << 20..<($0 + 1) << 20 }
            for part in parts[..<7] { try await write(bytes, part, by: areas[0]) }
            let staged = try await areas[0].stage(as: name)
            let facts = try await staged.finish(size: 7 << 20, needsMD5: false).blob
            let reader = try await staged.open()
            let before = try segments(layout)
            try await write(bytes, parts[7], by: areas[1])
            #expect(Set(before).isDisjoint(with: try segments(layout)))
            #expect(try await reader.read(at: 6 << 20, count: 2 << 20) == bytes.getSlice(at: 6 << 20, length: 1 << 20))
            let copyable = try #require(staged as? any S3CopyableBlob)
            try await copyable.copy(to: "\(layout.root)blob", facts)
            let copied = try StagingFixture.client().get("\(layout.root)blob", limit: 8 << 20)
            #expect(copied.map { ByteBuffer(bytes: $0) } == bytes.getSlice(at: 0, length: 7 << 20))
            #expect(areas[0].bucket.health.faults.isEmpty)
        }
    }

    @Test("bytes behind a gap are neither read nor finished")
    func gaps() async throws {
        try await StagingFixture.withLayout { layout in
            let area = try StagingFixture.area(layout)
            try await write(ByteBuffer(string: "...xyz"), 3..<6, by: area)
            let staged = try await area.stage(as: name)
            #expect(try await staged.extent() == 6)
            await expectFailure(.storageFailing) { try await staged.read(at: 0, count: 6) }
            await expectFailure(.storageFailing) { try await staged.finish(size: 6, needsMD5: false) }
        }
    }

    @Test("a server leaves the commits of a living one alone, and takes over those of one that ended")
    func leftovers() async throws {
        try await StagingFixture.withLayout { layout in
            let (first, second) = (try StagingFixture.area(layout) { $0.memory = 0 }, try StagingFixture.area(layout))
            let upload = CommitNote(file: name, blob: BlobName(try S3Fixture.key()), isDraft: false)
            let draft = CommitNote(file: name, blob: BlobName(try S3Fixture.key()), isDraft: true)
            let staged = try await first.stage(ByteBuffer(string: "upload"), as: name)
            try await staged.noteCommit(as: upload.blob, of: name)
            let noted = try await first.stage(ByteBuffer(string: "noted"))
            try await noted.noteCommit(as: draft.blob, of: name)
            let other = try await first.stage(ByteBuffer(string: "other"))
            #expect(try await second.leftovers() == [])
            #expect(try await second.unsettled() == [])
            #expect(try await other.extent() == 5)
            let drafts = try StagingFixture.objects(layout).filter { $0.contains("/drafts/") }
            #expect(drafts.count == 2)
            // Its heartbeat became too old.
            try StagingFixture.client().delete([first.names.server(first.servers.own)])
            #expect(Set(try await second.leftovers()) == [.committing(upload), .committing(draft)])
            #expect(Set(try await second.unsettled()) == [upload, draft])
            #expect(try StagingFixture.objects(layout).filter { $0.contains("/drafts/") }.count == 1)
            let found = try #require(try await second.reopen(upload))
            #expect(try await found.read(at: 0, count: 9) == ByteBuffer(string: "upload"))
            try await found.cancelCommit()
            let reopened = try #require(try await second.reopen(draft))
            #expect(try await reopened.read(at: 0, count: 9) == ByteBuffer(string: "noted"))
            await reopened.discard()
            #expect(try await second.leftovers() == [.staged(name)])
            #expect(try await second.reopen(draft) == nil)
        }
    }

    @Test("the undecided commit of an ended upload stays when one with the same id begins a commit")
    func otherBlob() async throws {
        try await StagingFixture.withLayout { layout in
            let area = try StagingFixture.area(layout)
            let notes = try (0..<2).map { _ in
                CommitNote(file: name, blob: BlobName(try S3Fixture.key()), isDraft: false)
            }
            let first = try await area.stage(ByteBuffer(string: "first"), as: name)
            try await first.noteCommit(as: notes[0].blob, of: name)
            first.keepNote()
            #expect(area.undecidedCommits(of: name) == [notes[0]])
            let second = try await area.stage(as: name)
            try await second.noteCommit(as: notes[1].blob, of: name)
            #expect(try await area.unsettled() == [notes[0]])
            #expect(Set(try await area.leftovers()) == Set(notes.map { .committing($0) }))
            await second.discard()
            let found = try #require(try await area.reopen(notes[0]))
            await found.discard()
            #expect(try await area.unsettled() == [])
            #expect(try StagingFixture.objects(layout).filter { !$0.contains("/servers/") } == [])
        }
    }
}
