import Domain
import NIOCore
import S3
import Support
import Testing

@testable import S3Blobs

/// Several servers on one bucket.
@Suite("Two stores on one bucket", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct S3BlobRaceTests {
    private func ids(_ count: Int) -> [ObjectID] {
        let generator = ObjectIDGenerator()
        return (0..<count).map { _ in generator.next() }
    }

    @Test("of many puts of a key on two servers one succeeds, and undoing the others leaves its bytes")
    func race() async throws {
        try await Samples.withFolder { folder in
            try await S3Fixture.withStore { one in
                let two = try one.other(in: folder)
                for _ in 0..<5 {
                    let key = try S3Fixture.key()
                    let files = ids(8)
                    let winners = try await withThrowingTaskGroup(of: ObjectID?.self) { group in
                        for (index, file) in files.enumerated() {
                            group.addTask {
                                do {
                                    try await (index % 2 == 0 ? one : two)
                                        .put(ByteBuffer(string: file.description), as: key, of: file)
                                    return file
                                } catch let error as ServiceError where error.code == .duplicateValue {
                                    return nil
                                }
                            }
                        }
                        return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
                    }
                    let winner = try #require(winners.first)
                    #expect(winners.count == 1)
                    let staged = try await MemoryStagingArea().stage()
                    for file in files where file != winner { try await two.undo(staged, as: BlobName(key), of: file) }
                    for store in [one, two] {
                        #expect(try await store.bytes(key) == ByteBuffer(string: winner.description))
                    }
                    #expect(
                        try S3Fixture.objects(one.bucket.layout) == [one.bucket.layout.name(of: BlobName(key), winner)]
                    )
                    try await one.remove(key)
                }
            }
        }
    }

    @Test("a put that has not ended is invisible, and its undo removes all of it")
    func pending() async throws {
        try await S3Fixture.withStore { store in
            let (key, file) = (try S3Fixture.key(), ids(1)[0])
            try store.bucket.claim(BlobName(key), for: file)
            try store.bucket.client.put(store.bucket.layout.name(of: BlobName(key), file), bytes: [1, 2, 3])
            #expect(try await store.open(key) == nil)
            try await store.remove(key)
            #expect(try S3Fixture.objects(store.bucket.layout).count == 2)
            try await store.undo(try await MemoryStagingArea().stage(), as: BlobName(key), of: file)
            #expect(try S3Fixture.objects(store.bucket.layout).isEmpty)
        }
    }

    @Test("a claim that a dead server left keeps the key from others until it is undone")
    func abandonedClaims() async throws {
        var settings = S3BlobSettings()
        settings.claimPatience = .milliseconds(100)
        try await S3Fixture.withStore(settings: settings) { store in
            let files = ids(3)
            // One that goes before the new file, and one behind it.
            for abandoned in [files[0], files[2]] {
                let key = try S3Fixture.key()
                try store.bucket.claim(BlobName(key), for: abandoned)
                let bytes = ByteBuffer(string: "bytes")
                await expectFailure(.duplicateValue) { try await store.put(bytes, as: key, of: files[1]) }
                #expect(try await store.open(key) == nil)
                let staged = try await MemoryStagingArea().stage()
                try await store.undo(staged, as: BlobName(key), of: abandoned)
                try await store.put(bytes, as: key, of: files[1])
                #expect(try await store.bytes(key) == bytes)
            }
        }
    }

    @Test(
        "a claim that the store stores late hides no file with a record, which is checked, trashed and removed with it",
        arguments: [true, false],
        [true, false]
    )
    func lateClaim(isTrashed: Bool, isTakenOver: Bool) async throws {
        try await S3Fixture.withStore { store in
            let (key, file, created) = (try S3Fixture.key(), ids(1)[0], ids(1)[0])
            let put = isTakenOver ? created : file
            let blob = FileBlob(key: key, file: file, replaced: isTakenOver ? created : nil)
            let bytes = ByteBuffer(string: "bytes")
            try await store.put(bytes, as: key, of: put)
            let bucket = store.bucket
            try bucket.claim(BlobName(key), for: put)
            #expect(try await store.open(key) == nil)
            #expect(try await store.open(blob)?.read(at: 0, count: 5) == bytes)
            var hasher = ContentHasher()
            bytes.withUnsafeReadableBytes { hasher.update($0) }
            let facts = BlobFacts(size: 5, digest: .contentHash(hasher.finalize()), md5: nil)
            let entry = FileEntry(id: file, key: key, facts: facts, replaced: blob.replaced)
            let checked = S3CheckedBlobs(bucket.client, layout: bucket.layout)
            #expect(try checked.check([entry], comparingDigests: true) == [.whole])
            let inspection = S3BlobInspection(store)
            #expect(try await inspection.inspect(entry) { _, _ in } == .whole)
            if isTrashed {
                let trashed = TrashedBlob(entry: ids(1)[0], blob: blob)
                #expect(try await store.moveToTrash([trashed]).allSatisfy { $0 == nil })
                let left = bucket.layout.name(ofTrashed: trashed.entry, put)
                #expect(try S3Fixture.objects(bucket.layout) == [left])
                #expect(try await store.restore(trashed))
                #expect(try await store.bytes(key) == bytes)
            } else {
                #expect(try await store.remove([blob]).allSatisfy { $0 == nil })
                #expect(try S3Fixture.objects(bucket.layout).isEmpty)
            }
        }
    }

    @Test("a put that is repeated uses what its first attempt left")
    func repeats() async throws {
        try await S3Fixture.withStore { store in
            let (key, file) = (try S3Fixture.key(), ids(1)[0])
            for _ in 0..<2 { try await store.put(ByteBuffer(string: "bytes"), as: key, of: file) }
            #expect(try await store.bytes(key) == ByteBuffer(string: "bytes"))
        }
    }

    @Test("a key that another server gave to another file has the new bytes at once, and a removed one has none")
    func staleness() async throws {
        try await Samples.withFolder { folder in
            try await S3Fixture.withStore { one in
                let two = try one.other(in: folder)
                let key = try S3Fixture.key()
                for text in ["first", "other", "first"] {
                    try await two.put(ByteBuffer(string: text), as: key)
                    for store in [one, two, one] { #expect(try await store.bytes(key) == ByteBuffer(string: text)) }
                    try await two.remove(key)
                    #expect(try await one.open(key) == nil)
                }
            }
        }
    }

    @Test("what one server moves to the trash, another restores")
    func sharedTrash() async throws {
        try await Samples.withFolder { folder in
            try await S3Fixture.withStore { one in
                let two = try one.other(in: folder)
                let blob = TrashedBlob(entry: ids(1)[0], key: try S3Fixture.key())
                try await one.put(ByteBuffer(string: "bytes"), as: blob.key)
                #expect(try await two.moveToTrash([blob]).allSatisfy { $0 == nil })
                #expect(try await one.open(blob.key) == nil)
                #expect(try await one.restore(blob))
                #expect(try await two.bytes(blob.key) == ByteBuffer(string: "bytes"))
                // The restored blob has the digest of its put.
                #expect(try await two.removeFromTrash([blob.entry]).allSatisfy { $0 == nil })
                #expect(try await two.remove([blob.key]).allSatisfy { $0 == nil })
                #expect(try S3Fixture.objects(one.bucket.layout).isEmpty)
            }
        }
    }

    @Test("a restoring that a dead server began is reverted by a move, or done again", arguments: [true, false])
    func interruptedRestoring(isReverted: Bool) async throws {
        try await S3Fixture.withStore { store in
            let (blob, file) = (TrashedBlob(entry: ids(1)[0], key: try S3Fixture.key()), ids(1)[0])
            try await store.put(ByteBuffer(string: "bytes"), as: blob.key, of: file)
            _ = try await store.moveToTrash([blob])
            let (layout, name) = (store.bucket.layout, BlobName(blob.key))
            try store.bucket.claim(name, for: file)
            try store.bucket.client.copy(layout.name(ofTrashed: blob.entry, file), to: layout.name(of: name, file))
            #expect(try await store.open(blob.key) == nil)
            if isReverted {
                #expect(try await store.moveToTrash([blob]).allSatisfy { $0 == nil })
                #expect(try S3Fixture.objects(layout) == [layout.name(ofTrashed: blob.entry, file)])
            }
            #expect(try await store.restore(blob))
            #expect(try await store.bytes(blob.key) == ByteBuffer(string: "bytes"))
        }
    }

    @Test("a move for an unknown file loses the bytes of none that has the key")
    func unknownFile() async throws {
        try await S3Fixture.withStore { store in
            let blob = TrashedBlob(entry: ids(1)[0], key: try S3Fixture.key())
            let (layout, files) = (store.bucket.layout, ids(2))
            for file in files { try store.bucket.client.put(layout.name(of: BlobName(blob.key), file), bytes: [1]) }
            #expect(try await store.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try S3Fixture.objects(layout) == files.map { layout.name(ofTrashed: blob.entry, $0) }.sorted())
        }
    }

    @Test("a move that is repeated after the key got another file leaves that file's bytes")
    func repeatedMove() async throws {
        try await S3Fixture.withStore { store in
            let blob = TrashedBlob(entry: ids(1)[0], key: try S3Fixture.key())
            try await store.put(ByteBuffer(string: "first"), as: blob.key)
            _ = try await store.moveToTrash([blob])
            try await store.put(ByteBuffer(string: "second"), as: blob.key)
            #expect(try await store.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try await store.bytes(blob.key) == ByteBuffer(string: "second"))
        }
    }
}
