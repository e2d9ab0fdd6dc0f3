import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

@Suite struct FolderBlobsTests {
    private func store(_ texts: [String], in folder: String) async throws -> [FileEntry] {
        let storage = try BlobStorage(onDisk: folder)
        var entries: [FileEntry] = []
        for (number, text) in texts.enumerated() {
            let key = try #require(FileKey("key/\(number)"))
            let facts = try await storage.store(text, as: key)
            entries.append(FileEntry(id: ObjectIDGenerator().next(), key: key, facts: facts))
        }
        return entries
    }

    private func path(of entry: FileEntry, in folder: String) -> String {
        BlobLayout(reading: folder).path(of: BlobName(entry.key))
    }

    private func names(in folder: String) throws -> BlobFolderNames {
        let blobs = FolderBlobs(folder: folder)
        var all = BlobFolderNames()
        for byte in UInt8.min...UInt8.max {
            let names = try blobs.names(beginningWith: byte)
            #expect(names.blobs == names.blobs.sorted())
            all.blobs += names.blobs
            all.foreign += names.foreign
        }
        return all
    }

    @Test("all blobs are listed in order, in both layouts, and other files separately")
    func names() async throws {
        try await Samples.withFolder { folder in
            let entries = try await store((0..<20).map { "\($0)" }, in: folder)
            let layout = BlobLayout(reading: folder)
            let earlier = layout.earlierPath(of: BlobName(entries[0].key))
            try FileManager.default.createDirectory(
                atPath: layout.parent(earlier),
                withIntermediateDirectories: true
            )
            try FileManager.default.moveItem(atPath: path(of: entries[0], in: folder), toPath: earlier)
            let other = path(of: entries[1], in: folder) + ".tmp"
            try "x".write(toFile: other, atomically: false, encoding: .utf8)
            let all = try names(in: folder)
            #expect(all.blobs == entries.map { BlobName($0.key) }.sorted())
            #expect(all.foreign == [String(other.dropFirst(folder.utf8.count + 1))])
        }
    }

    @Test("files where folders are expected are foreign, each once, as are other names; the rest is listed")
    func files() async throws {
        try await Samples.withFolder { folder in
            let entry = try await store(["bytes"], in: folder)[0]
            let name = BlobName(entry.key).description
            let lost = [try #require(UInt8(name.prefix(2), radix: 16)) &+ 1].hexadecimal
            let keys = (0..<10_000).compactMap { FileKey("\($0)") }
            let other = try #require(keys.first { BlobName($0).description.hasPrefix(lost) })
            let paths = ["blobs/\(lost)", "blobs/zz", "blobs/AB", "trash/00", "trash/ff", "trash/zz"]
            let files = FileManager.default
            try files.createDirectory(atPath: "\(folder)/trash", withIntermediateDirectories: false)
            for path in paths { #expect(files.createFile(atPath: "\(folder)/\(path)", contents: nil)) }
            try files.removeItem(atPath: "\(folder)/staging")
            #expect(files.createFile(atPath: "\(folder)/staging", contents: nil))
            // Another disk can have a folder.
            let own = "\(folder)/blobs/\(name.prefix(2))"
            try files.moveItem(atPath: own, toPath: "\(folder)/disk")
            try files.createSymbolicLink(atPath: own, withDestinationPath: "\(folder)/disk")
            let blobs = FolderBlobs(folder: folder)
            let all = try names(in: folder)
            #expect(all.blobs.map(\.description) == [name])
            var foreign = try (UInt8.min...UInt8.max).flatMap { try blobs.trashNames(endingWith: $0).foreign }
            foreign += all.foreign
            #expect(foreign.sorted() == paths.sorted())
            #expect(try blobs.staged().foreign == ["staging"])
            let missing = FileEntry(id: entry.id, key: other, facts: entry.facts)
            #expect(try blobs.check([entry, missing], comparingDigests: true) == [.whole, .missing])
            let id = try #require(ObjectID("64f0c0ffee000000000000ff"))
            let trashed = FileEntry(id: id, key: other, facts: entry.facts)
            #expect(try blobs.check(trashed: [trashed], comparingDigests: true) == [.missing])
        }
    }

    @Test("while the whole folder of the blobs is lost, or a file, its blobs are missing", arguments: [false, true])
    func lostFolder(isFile: Bool) async throws {
        try await Samples.withFolder { folder in
            let entries = try await store(["bytes"], in: folder)
            try FileManager.default.removeItem(atPath: "\(folder)/blobs")
            if isFile { #expect(FileManager.default.createFile(atPath: "\(folder)/blobs", contents: nil)) }
            let all = try names(in: folder)
            #expect(all.blobs == [])
            #expect(all.foreign == (isFile ? ["blobs"] : []))
            #expect(try FolderBlobs(folder: folder).check(entries, comparingDigests: true) == [.missing])
        }
    }

    @Test("a folder that cannot be listed is named by the error")
    func unreadableFolder() throws {
        let error = #expect(throws: ServiceError.self) { try forEachEntry(of: "/dev/null") { _, _ in } }
        let cause = try #require(error?.cause)
        #expect("\(cause)" == "opendir /dev/null: Not a directory")
    }

    @Test("a blob is moved to lost+found, and a second one of its name beside it")
    func lostAndFound() async throws {
        try await Samples.withFolder { folder in
            let blobs = FolderBlobs(folder: folder)
            for (text, name) in [("one", ""), ("two", ".2")] {
                let entry = try await store([text], in: folder)[0]
                let moved = try blobs.moveToLostAndFound(BlobName(entry.key))
                #expect(moved == "lost+found/\(BlobName(entry.key))\(name)")
                #expect(try String(contentsOfFile: "\(folder)/\(moved)", encoding: .utf8) == text)
                #expect(!blobs.has(BlobName(entry.key)))
            }
        }
    }

    @Test("staged names are told apart, and those without a write for a day")
    func staged() async throws {
        try await Samples.withFolder { folder in
            let staging = "\(folder)/staging"
            try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
            let digest = BlobName(try #require(FileKey("a"))).description
            let id = "64f0c0ffee00000000000001"
            for name in ["draft-a", "copy-b", id, "\(id).\(digest)", "other.txt"] {
                try "x".write(toFile: "\(staging)/\(name)", atomically: false, encoding: .utf8)
            }
            let past = Date(timeIntervalSinceNow: -100_000)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: "\(staging)/draft-a")
            let found = try FolderBlobs(folder: folder).staged()
            #expect(found.drafts.sorted() == ["copy-b", "draft-a"])
            #expect(found.uploads.map(\.name) == [id])
            #expect(found.notes.map(\.blob.description) == [digest])
            #expect(found.foreign == ["staging/other.txt"])
            #expect(found.old == ["draft-a"])
        }
    }

    @Test("suspects reach the scrubber through the folder, which only a server makes")
    func suspects() async throws {
        try await Samples.withFolder { folder in
            let id = ObjectIDGenerator().next()
            #expect(!FolderBlobs(folder: folder).noteSuspects([id]))
            let journal = try DiskScrubJournal(folder: folder, pool: .singleton)
            #expect(FolderBlobs(folder: folder).noteSuspects([id]))
            #expect(try await journal.suspects() == [id])
            try await journal.remove([id])
            #expect(try await journal.suspects().isEmpty)
        }
    }

    @Test("the scrubber's state is stored, and what is no state counts as none")
    func state() async throws {
        try await Samples.withFolder { folder in
            let journal = try DiskScrubJournal(folder: folder, pool: .singleton)
            #expect(try await journal.load() == nil)
            let text = #"{"began":"2027-01-12T08:00:00.000Z","running":true,"files":3}"#
            let state = try #require(ScrubState(Array(text.utf8)))
            try await journal.save(state)
            #expect(try await journal.load() == state)
            #expect(FolderBlobs(folder: folder).scrubState() == state)
            try "{".write(toFile: "\(folder)/scrub.json", atomically: false, encoding: .utf8)
            #expect(try await journal.load() == nil)
        }
    }

    @Test("derivatives that are not whole are found; those with other bytes only if bytes are read")
    func derivatives() async throws {
        try await Samples.withFolder { folder in
            let store = try DiskDerivativeStore(folder: folder, bound: 1 << 20, pool: .singleton)
            let names = ["a", "b", "c"].map { DerivativeName(source: $0, request: "small") }
            let layout = DerivativeLayout(folder: folder)
            for name in names {
                try await store.store(ByteBuffer(string: "derivative of \(name.source)"), as: .jpeg, under: name)
            }
            let truncated = try FileHandle(forWritingTo: URL(filePath: layout.path(of: names[0])))
            try truncated.truncate(atOffset: 100)
            let flipped = try FileHandle(forWritingTo: URL(filePath: layout.path(of: names[1])))
            try flipped.write(contentsOf: Data([0]))
            // The server ignores it.
            let other = "\(layout.shelf(0))/other"
            try FileManager.default.createDirectory(atPath: layout.shelf(0), withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: other, contents: nil))
            func broken(comparingDigests: Bool) throws -> Set<String> {
                var paths: Set<String> = []
                try FolderBlobs(folder: folder).forEachBrokenDerivative(comparingDigests: comparingDigests) {
                    paths.insert("\(folder)/\($0)")
                }
                return paths
            }
            #expect(try broken(comparingDigests: false) == [layout.path(of: names[0])])
            #expect(try broken(comparingDigests: true) == [layout.path(of: names[0]), layout.path(of: names[1])])
        }
    }

    @Test("a blob is read whole, piece by piece; a flipped byte, a lost end and a missing blob show")
    func inspection() async throws {
        try await Samples.withFolder { folder in
            let long = String(repeating: "0123456789abcdef", count: 200_000)
            let entries = try await store([long, long + "x", "abc", ""], in: folder)
            let inspection = DiskBlobInspection(folder: folder, pool: .singleton)
            let pieces = Counter()
            for entry in entries {
                let condition = try await inspection.inspect(entry) { _, _ in _ = pieces.next() }
                #expect(condition == .whole)
            }
            #expect(pieces.value == 4 + 4 + 1)
            let before = try await inspection.identity(of: entries[0])
            let file = try FileHandle(forWritingTo: URL(filePath: path(of: entries[0], in: folder)))
            try file.seek(toOffset: 2_000_000)
            try file.write(contentsOf: Data("x".utf8))
            #expect(try await inspection.identity(of: entries[0]) != before)
            let flipped = try await inspection.inspect(entries[0]) { _, _ in }
            #expect(flipped == .otherBytes(than: entries[0].facts))
            try FileHandle(forWritingTo: URL(filePath: path(of: entries[1], in: folder))).truncate(atOffset: 10)
            let short = try await inspection.inspect(entries[1]) { _, _ in }
            #expect(short == .wrongSize(10, entries[1].facts))
            try FileManager.default.removeItem(atPath: path(of: entries[2], in: folder))
            let missing = try await inspection.inspect(entries[2]) { _, _ in }
            #expect(missing == .missing)
            #expect(try await inspection.identity(of: entries[2]) == nil)
            try FileManager.default.removeItem(atPath: "\(folder)/blobs")
            let error = await #expect(throws: ServiceError.self) {
                _ = try await inspection.inspect(entries[2]) { _, _ in }
            }
            #expect(error?.cause as? StorageDisplacement == .folder("\(folder)/blobs"))
        }
    }
}
