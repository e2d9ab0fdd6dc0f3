package import Domain
internal import Glibc
internal import NIOCore
internal import Testing

/// The contract of every ``BlobStore``, by itself and together with the staging area of its bytes.
package enum BlobStoreContract {
    package static let rules: [ContractRule<BlobStorage>] = reading + commits + removals + trash

    private static let reading: [ContractRule<BlobStorage>] = [
        ContractRule("committed bytes come back, whole and in part") { storage in
            let key = try FileKey.random()
            let bytes = ByteBuffer.pattern(3_000_000)
            try await commit(bytes, as: key, in: storage)
            let blob = try #require(try await storage.blobs.open(key))
            #expect(blob.size == 3_000_000)
            #expect(try await blob.read(at: 0, count: 3_000_000) == bytes)
            #expect(try await blob.read(at: 1_048_570, count: 20) == bytes.getSlice(at: 1_048_570, length: 20))
            #expect(try await blob.read(at: 2_999_990, count: 100).readableBytes == 10)
            #expect(try await blob.read(at: 3_000_000, count: 100).readableBytes == 0)
        },
        ContractRule("any range is read in small pieces, and read again from its start") { storage in
            let key = try FileKey.random()
            let bytes = ByteBuffer.pattern(1_000_000)
            try await commit(bytes, as: key, in: storage)
            let blob = try #require(try await storage.blobs.open(key))
            for range in [0..<1_000_000, 0..<1, 262_143..<262_145, 999_999..<1_000_000, 5..<5] as [Range<Int64>] {
                let pieces = blob.pieces(of: range)
                for _ in 0..<2 {
                    var read = ByteBuffer()
                    for try await piece in pieces {
                        #expect(piece.readableBytes > 0 && piece.readableBytes <= 256 << 10)
                        read.writeImmutableBuffer(piece)
                    }
                    #expect(read == bytes.getSlice(at: Int(range.lowerBound), length: range.count))
                }
            }
        },
        ContractRule("bytes that this machine has are those of the blob") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(string: "bytes"), as: key, in: storage)
            let blob = try #require(try await storage.blobs.open(key))
            switch blob.local {
            case .memory(let bytes): #expect(bytes == ByteBuffer(string: "bytes"))
            case .file(let file):
                var bytes = [UInt8](repeating: 0, count: 10)
                let count = file.withDescriptor { pread($0, &bytes, 10, 0) }
                #expect(Array(bytes.prefix(count)) == Array("bytes".utf8))
            case nil: break
            }
        },
        ContractRule("there is no blob under a key that has none") { storage in
            let key = try FileKey.random()
            #expect(try await storage.blobs.open(key) == nil)
        },
        ContractRule("an empty blob is a blob") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(), as: key, in: storage)
            #expect(try await storage.blobs.open(key)?.size == 0)
        },
        ContractRule("keys with slashes, spaces and any script name different blobs") { storage in
            let keys = try ["a/b", "a b", "照片/1.txt", String(repeating: "k", count: 1024)].map {
                try #require(FileKey($0))
            }
            for key in keys { try await commit(ByteBuffer(string: key.description), as: key, in: storage) }
            for key in keys {
                let blob = try #require(try await storage.blobs.open(key))
                #expect(try await blob.read(at: 0, count: 2000) == ByteBuffer(string: key.description))
            }
        },
    ]

    private static let commits: [ContractRule<BlobStorage>] = [
        ContractRule("a commit that was cut off is known, and is undone or ended") { storage in
            for (isCommitted, isKept) in [(true, false), (false, true), (false, false)] {
                let key = try FileKey.random()
                let file = ObjectIDGenerator().next()
                let staged = try await storage.staging.stage(ByteBuffer(string: "bytes"), as: file)
                let facts = try await staged.finish(size: 5, needsMD5: false).blob
                try await storage.commit(staged, facts, as: key, of: file)
                let note = CommitNote(file: file, blob: BlobName(key), isDraft: false)
                #expect(try await storage.staging.leftovers() == [.committing(note)])
                try await storage.settle(note, isCommitted: isCommitted, keepingBytes: isKept)
                #expect(try await storage.blobs.open(key)?.size == (isCommitted ? 5 : nil))
                #expect(try await storage.staging.leftovers() == (isKept ? [.staged(file)] : []))
                if isKept {
                    let kept = try await storage.staging.stage(as: file)
                    #expect(try await kept.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
                    await kept.discard()
                }
            }
        },
        ContractRule("a commit that was cut off before the blob takes no other file's blob with it") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(string: "first"), as: key, in: storage)
            let note = CommitNote(file: ObjectIDGenerator().next(), blob: BlobName(key), isDraft: false)
            let staged = try await storage.staging.stage(ByteBuffer(string: "other"), as: note.file)
            try await staged.noteCommit(as: note.blob, of: note.file)
            try await storage.settle(note, isCommitted: false, keepingBytes: false)
            #expect(try await storage.staging.leftovers() == [])
            let blob = try #require(try await storage.blobs.open(key))
            #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "first"))
        },
        ContractRule("a cut off commit of one request's bytes takes nothing of the upload's own") { storage in
            let file = ObjectIDGenerator().next()
            let own = try await storage.staging.stage(ByteBuffer(string: "own"), as: file)
            let draft = try await storage.staging.stage(ByteBuffer(string: "other"))
            let key = try FileKey.random()
            let facts = try await draft.finish(size: 5, needsMD5: false).blob
            try await storage.commit(draft, facts, as: key, of: file)
            let note = CommitNote(file: file, blob: BlobName(key), isDraft: true)
            try await storage.settle(note, isCommitted: false, keepingBytes: true)
            #expect(try await storage.blobs.open(key) == nil)
            #expect(try await storage.staging.leftovers() == [.staged(file)])
            #expect(try await own.read(at: 0, count: 100) == ByteBuffer(string: "own"))
            await own.discard()
        },
        ContractRule("a commit that is taken back leaves the bytes staged, also in a cancelled task") { storage in
            for isCancelled in [false, true] {
                let key = try FileKey.random()
                let name = ObjectIDGenerator().next()
                let staged = try await storage.staging.stage(ByteBuffer(string: "bytes"), as: name)
                let facts = try await staged.finish(size: 5, needsMD5: false).blob
                try await storage.commit(staged, facts, as: key, of: name)
                let task = Task {
                    while isCancelled, !Task.isCancelled { await Task.yield() }
                    await storage.revert(staged, as: key, of: name)
                }
                if isCancelled { task.cancel() }
                await task.value
                #expect(try await storage.blobs.open(key) == nil)
                #expect(try await storage.staging.leftovers() == [.staged(name)])
                try await storage.commit(staged, facts, as: key, of: name)
                await staged.discard()
                #expect(try await storage.blobs.open(key)?.size == 5)
            }
        },
        ContractRule("what is staged is invisible, and gone after a discard") { storage in
            let key = try FileKey.random()
            let staged = try await storage.staging.stage(ByteBuffer(string: "draft"))
            try await staged.noteCommit(as: BlobName(key), of: ObjectIDGenerator().next())
            #expect(try await storage.blobs.open(key) == nil)
            await staged.discard()
            #expect(try await storage.blobs.open(key) == nil)
        },
        ContractRule("a taken key refuses a second commit, keeps its bytes and leaves the others staged") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(string: "first"), as: key, in: storage)
            // Equal bytes as well: the blob still belongs to another file.
            for text in ["second", "first"] {
                let name = ObjectIDGenerator().next()
                let second = try await storage.staging.stage(ByteBuffer(string: text), as: name)
                let facts = try await second.finish(size: Int64(text.utf8.count), needsMD5: false).blob
                await expectFailure(.duplicateValue) {
                    try await storage.commit(second, facts, as: key, of: name)
                }
                #expect(try await storage.staging.leftovers() == [.staged(name)])
                #expect(try await second.read(at: 0, count: 100) == ByteBuffer(string: text))
                await second.discard()
                let blob = try #require(try await storage.blobs.open(key))
                #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "first"))
                #expect(try await storage.staging.leftovers() == [])
            }
        },
        ContractRule("of many that commit under one key at once, one does and the others are refused") { storage in
            let key = try FileKey.random()
            let texts = (0..<16).map { "text \($0)" }
            let stored = try await withThrowingTaskGroup(of: String?.self) { group in
                for text in texts {
                    group.addTask {
                        do {
                            try await commit(ByteBuffer(string: text), as: key, in: storage)
                            return text
                        } catch let error as ServiceError where error.code == .duplicateValue {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            #expect(stored.count == 1)
            let blob = try #require(try await storage.blobs.open(key))
            #expect(String(buffer: try await blob.read(at: 0, count: 100)) == stored.first)
            #expect(try await storage.staging.leftovers() == [])
        },
        ContractRule("to undo what was not stored is no error") { storage in
            let staged = try await storage.staging.stage(ByteBuffer(string: "bytes"))
            try await storage.blobs.undo(staged, as: BlobName(FileKey.random()), of: ObjectIDGenerator().next())
            await staged.discard()
        },
        ContractRule("a discard after a commit keeps the blob") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(string: "kept"), as: key, in: storage)
            #expect(try await storage.blobs.open(key)?.size == 4)
            #expect(try await storage.staging.leftovers() == [])
        },
    ]

    private static let removals: [ContractRule<BlobStorage>] = [
        ContractRule("a removed blob is gone, but those who have it open still read it") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(string: "bytes"), as: key, in: storage)
            let open = try #require(try await storage.blobs.open(key))
            try await storage.blobs.remove(key)
            try await storage.blobs.remove(key)
            #expect(try await storage.blobs.open(key) == nil)
            #expect(try await open.read(at: 0, count: 5) == ByteBuffer(string: "bytes"))
        },
        ContractRule("of many blobs all that are named go, and no others") { storage in
            let keys = try (0..<70).map { _ in try FileKey.random() }
            for key in keys { try await commit(ByteBuffer(string: "bytes"), as: key, in: storage) }
            let failures = try await storage.blobs.remove([try FileKey.random()] + keys.dropLast())
            #expect(failures.count == keys.count)
            #expect(failures.allSatisfy { $0 == nil })
            for key in keys.dropLast() { #expect(try await storage.blobs.open(key) == nil) }
            #expect(try await storage.blobs.open(keys[69])?.size == 5)
        },
        ContractRule("in a cancelled task a removal says so, and removes nothing") { storage in
            let key = try FileKey.random()
            try await commit(ByteBuffer(string: "bytes"), as: key, in: storage)
            let removal = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await storage.blobs.remove([key])
            }
            removal.cancel()
            await #expect(throws: CancellationError.self) { try await removal.value }
            #expect(try await storage.blobs.open(key)?.size == 5)
        },
    ]

    /// Stages bytes and commits them.
    static func commit(
        _ bytes: ByteBuffer,
        as key: FileKey,
        of file: ObjectID = ObjectIDGenerator().next(),
        in storage: BlobStorage
    ) async throws {
        let staged = try await storage.staging.stage(bytes)
        let facts = try await staged.finish(size: Int64(bytes.readableBytes), needsMD5: false).blob
        do {
            try await storage.commit(staged, facts, as: key, of: file)
        } catch {
            await staged.discard()
            throw error
        }
        await staged.discard()
    }
}
