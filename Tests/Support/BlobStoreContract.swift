internal import Crypto
package import Domain
internal import NIOCore
internal import Testing

/// What every ``BlobStore`` promises.
package enum BlobStoreContract {
    package static let rules: [ContractRule<any BlobStore>] = [
        ContractRule("committed bytes come back, whole and in part") { store in
            let key = try newKey()
            let bytes = pattern(3_000_000)
            try await commit(bytes, as: key, in: store)
            let blob = try #require(try await store.open(key))
            #expect(blob.size == 3_000_000)
            #expect(try await blob.read(at: 0, count: 3_000_000) == bytes)
            #expect(try await blob.read(at: 1_048_570, count: 20) == bytes.getSlice(at: 1_048_570, length: 20))
            #expect(try await blob.read(at: 2_999_990, count: 100).readableBytes == 10)
        },
        ContractRule("facts and head are those of the bytes, in pieces of any size") { store in
            for pieces in [[0], [5], [1, 70_000, 3], [1_048_576, 1], [2_500_000]] {
                let staged = try await store.stage()
                let writer = staged.write(at: 0, digesting: [])
                for piece in pieces { try await writer.append(ByteBuffer(repeating: 0x61, count: piece)) }
                _ = try await writer.finish()
                let total = pieces.reduce(0, +)
                let facts = try await staged.finish(size: Int64(total), needsMD5: false)
                #expect(facts.blob.size == Int64(total))
                #expect(facts.head.readableBytes == min(total, 65_536))
                await staged.discard()
            }
            let staged = try await stage(ByteBuffer(string: "abc"), in: store)
            let facts = try await staged.finish(size: 3, needsMD5: false).blob
            #expect(facts.md5 == "900150983cd24fb0d6963f7d28e17f72")
            #expect(facts.digest == .contentHash("FqmZPjZHBoFquj4lcXhQwmyc0Nid"))
            await staged.discard()
        },
        ContractRule("a writer tells the digests of what it took itself") { store in
            let staged = try await stage(ByteBuffer(string: "before"), in: store)
            let writer = staged.write(at: 6, digesting: Set(DigestKind.allCases))
            try await writer.append(ByteBuffer(string: "ab"))
            try await writer.append(ByteBuffer(string: "c"))
            let digests = try await writer.finish().mapValues(\.hexadecimal)
            #expect(digests[.crc32] == "352441c2")
            #expect(digests[.md5] == "900150983cd24fb0d6963f7d28e17f72")
            #expect(digests[.sha1] == "a9993e364706816aba3e25717850c26c9cd0d89d")
            #expect(digests[.sha256] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "beforeabc"))
            await staged.discard()
        },
        ContractRule("facts are those of the bytes as they stand in the end, written in any order and again") { store in
            let block = Int(ContentHash.blockSize)
            let whole = pattern(2 * block + 1000)
            let expected = hash(of: whole)
            let orders: [[Range<Int>]] = [
                [0..<block, block..<2 * block, 2 * block..<2 * block + 1000],
                [2 * block..<2 * block + 1000, block..<2 * block, 0..<block],
                [0..<1000, 1000..<block + 500, block + 500..<2 * block + 1000],
                [0..<2 * block + 1000, 5..<70_000],
            ]
            for order in orders {
                let staged = try await store.stage()
                for range in order {
                    let writer = staged.write(at: Int64(range.lowerBound), digesting: [])
                    try await writer.append(slice(whole, range))
                    _ = try await writer.finish()
                }
                let facts = try await staged.finish(size: Int64(whole.readableBytes), needsMD5: true).blob
                #expect(facts.digest == .contentHash(expected))
                #expect(facts.md5 == Insecure.MD5.hash(data: Array(whole.readableBytesView)).hexadecimal)
                await staged.discard()
            }
        },
        ContractRule("what is behind the end is cut off, and no digest of it counts") { store in
            let block = Int(ContentHash.blockSize)
            let whole = pattern(2 * block)
            let staged = try await stage(whole, in: store)
            let facts = try await staged.finish(size: Int64(block + 7), needsMD5: false).blob
            #expect(facts.digest == .contentHash(hash(of: slice(whole, 0..<block + 7))))
            #expect(try await staged.extent() == Int64(block + 7))
            await staged.discard()
        },
        ContractRule("a writer goes on after it told what it took") { store in
            let staged = try await store.stage()
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "one "))
            _ = try await writer.finish()
            try await writer.append(ByteBuffer(string: "two"))
            _ = try await writer.finish()
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "one two"))
            await staged.discard()
        },
        ContractRule("bytes staged under a name are there when it is opened again") { store in
            let name = ObjectIDGenerator().next()
            let first = try await store.stage(as: name)
            let writer = first.write(at: 2, digesting: [])
            try await writer.append(ByteBuffer(string: "kept"))
            _ = try await writer.finish()
            try await first.synchronize()
            let second = try await store.stage(as: name)
            #expect(try await second.extent() == 6)
            #expect(try await second.read(at: 2, count: 100) == ByteBuffer(string: "kept"))
            #expect(try await store.leftovers() == [.staged(name)])
            await second.discard()
            #expect(try await store.leftovers() == [])
        },
        ContractRule("a commit that was cut off is known, and is undone or ended") { store in
            for (isCommitted, isKept) in [(true, false), (false, true), (false, false)] {
                let key = try newKey()
                let file = ObjectIDGenerator().next()
                let staged = try await store.stage(as: file)
                let writer = staged.write(at: 0, digesting: [])
                try await writer.append(ByteBuffer(string: "bytes"))
                _ = try await writer.finish()
                _ = try await staged.finish(size: 5, needsMD5: false)
                try await staged.commit(as: key, of: file)
                #expect(try await store.leftovers() == [.committing(file)])
                try await store.settle(file, isCommitted: isCommitted, keepingBytes: isKept)
                #expect(try await store.open(key) != nil || !isCommitted)
                #expect(try await store.open(key) == nil || isCommitted)
                #expect(try await store.leftovers() == (isKept ? [.staged(file)] : []))
                if isKept {
                    let kept = try await store.stage(as: file)
                    #expect(try await kept.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
                    await kept.discard()
                }
            }
        },
        ContractRule("a cut off commit of one request's bytes takes nothing of the upload's own") { store in
            let file = ObjectIDGenerator().next()
            let own = try await store.stage(as: file)
            let writer = own.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "own"))
            _ = try await writer.finish()
            let draft = try await stage(ByteBuffer(string: "other"), in: store)
            _ = try await draft.finish(size: 5, needsMD5: false)
            try await draft.commit(as: newKey(), of: file)
            try await store.settle(file, isCommitted: false, keepingBytes: true)
            #expect(try await store.leftovers() == [.staged(file)])
            let kept = try await store.stage(as: file)
            #expect(try await kept.read(at: 0, count: 100) == ByteBuffer(string: "own"))
            await kept.discard()
        },
        ContractRule("bytes that are not there make no file") { store in
            let staged = try await stage(ByteBuffer(string: "abc"), in: store)
            let other = try await store.stage(as: ObjectIDGenerator().next())
            await #expect(throws: (any Error).self) { try await staged.finish(size: 4, needsMD5: false) }
            await #expect(throws: (any Error).self) { try await other.finish(size: 1, needsMD5: false) }
            await staged.discard()
            await other.discard()
        },
        ContractRule("a commit that is taken back leaves the bytes staged") { store in
            let key = try newKey()
            let name = ObjectIDGenerator().next()
            let staged = try await store.stage(as: name)
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "bytes"))
            _ = try await writer.finish()
            _ = try await staged.finish(size: 5, needsMD5: false)
            try await staged.commit(as: key, of: name)
            await staged.revert(key)
            #expect(try await store.open(key) == nil)
            #expect(try await store.leftovers() == [.staged(name)])
            await staged.discard()
        },
        ContractRule("what is staged is invisible, and gone after a discard") { store in
            let key = try newKey()
            let staged = try await stage(ByteBuffer(string: "draft"), in: store)
            #expect(try await store.open(key) == nil)
            await staged.discard()
            #expect(try await store.open(key) == nil)
        },
        ContractRule("a taken key refuses a second commit and keeps its bytes") { store in
            let key = try newKey()
            try await commit(ByteBuffer(string: "first"), as: key, in: store)
            let second = try await stage(ByteBuffer(string: "second"), in: store)
            _ = try await second.finish(size: 6, needsMD5: false)
            await #expect(throws: (any Error).self) {
                try await second.commit(as: key, of: ObjectIDGenerator().next())
            }
            await second.discard()
            let blob = try #require(try await store.open(key))
            #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "first"))
            #expect(try await store.leftovers() == [])
        },
        ContractRule("a discard after a commit keeps the blob") { store in
            let key = try newKey()
            try await commit(ByteBuffer(string: "kept"), as: key, in: store)
            #expect(try await store.open(key)?.size == 4)
            #expect(try await store.leftovers() == [])
        },
        ContractRule("an empty blob is a blob") { store in
            let key = try newKey()
            try await commit(ByteBuffer(), as: key, in: store)
            #expect(try await store.open(key)?.size == 0)
        },
        ContractRule("a removed blob is gone, but those who have it open still read it") { store in
            let key = try newKey()
            try await commit(ByteBuffer(string: "bytes"), as: key, in: store)
            let open = try #require(try await store.open(key))
            try await store.remove(key)
            try await store.remove(key)
            #expect(try await store.open(key) == nil)
            #expect(try await open.read(at: 0, count: 5) == ByteBuffer(string: "bytes"))
        },
        ContractRule("of many blobs all that are named go, and no others") { store in
            let keys = try (0..<70).map { _ in try newKey() }
            for key in keys { try await commit(ByteBuffer(string: "bytes"), as: key, in: store) }
            let failures = try await store.remove([try newKey()] + keys.dropLast())
            #expect(failures.count == keys.count)
            #expect(failures.allSatisfy { $0 == nil })
            for key in keys.dropLast() { #expect(try await store.open(key) == nil) }
            #expect(try await store.open(keys[69])?.size == 5)
        },
        ContractRule("in a cancelled task a removal says so, and removes nothing") { store in
            let key = try newKey()
            try await commit(ByteBuffer(string: "bytes"), as: key, in: store)
            let removal = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await store.remove([key])
            }
            removal.cancel()
            await #expect(throws: CancellationError.self) { try await removal.value }
            #expect(try await store.open(key)?.size == 5)
        },
        ContractRule("keys with slashes, spaces and any script name different blobs") { store in
            let keys = try ["a/b", "a b", "照片/1.txt", String(repeating: "k", count: 1024)].map {
                try #require(FileKey($0))
            }
            for key in keys { try await commit(ByteBuffer(string: key.description), as: key, in: store) }
            for key in keys {
                let blob = try #require(try await store.open(key))
                #expect(try await blob.read(at: 0, count: 2000) == ByteBuffer(string: key.description))
            }
        },
    ]

    private static func newKey() throws -> FileKey {
        try .make(for: FileName("photo.jpg", limit: 255), prefix: nil, keepingName: false)
    }

    private static func stage(_ bytes: ByteBuffer, in store: any BlobStore) async throws -> any StagedBlob {
        let staged = try await store.stage()
        let writer = staged.write(at: 0, digesting: [])
        try await writer.append(bytes)
        _ = try await writer.finish()
        return staged
    }

    private static func commit(_ bytes: ByteBuffer, as key: FileKey, in store: any BlobStore) async throws {
        let staged = try await stage(bytes, in: store)
        _ = try await staged.finish(size: Int64(bytes.readableBytes), needsMD5: false)
        try await staged.commit(as: key, of: ObjectIDGenerator().next())
        await staged.discard()
    }

    private static func hash(of bytes: ByteBuffer) -> String {
        let digests = stride(from: 0, to: bytes.readableBytes, by: Int(ContentHash.blockSize)).map { start in
            let end = min(start + Int(ContentHash.blockSize), bytes.readableBytes)
            return Array(Insecure.SHA1.hash(data: Array(slice(bytes, start..<end).readableBytesView)))
        }
        return ContentHash.joining(digests)
    }

    private static func slice(_ bytes: ByteBuffer, _ range: Range<Int>) -> ByteBuffer {
        bytes.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
    }

    private static func pattern(_ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }
}
