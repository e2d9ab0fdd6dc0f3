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
                for piece in pieces { try await staged.append(ByteBuffer(repeating: 0x61, count: piece)) }
                let facts = try await staged.finish()
                let total = pieces.reduce(0, +)
                #expect(facts.blob.size == Int64(total))
                #expect(facts.head.readableBytes == min(total, 65_536))
                await staged.discard()
            }
            let staged = try await store.stage()
            try await staged.append(ByteBuffer(string: "abc"))
            let facts = try await staged.finish().blob
            #expect(facts.md5 == "900150983cd24fb0d6963f7d28e17f72")
            #expect(facts.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            await staged.discard()
        },
        ContractRule("what is staged is invisible, and gone after a discard") { store in
            let key = try newKey()
            let staged = try await store.stage()
            try await staged.append(ByteBuffer(string: "draft"))
            _ = try await staged.finish()
            #expect(try await store.open(key) == nil)
            await staged.discard()
            #expect(try await store.open(key) == nil)
        },
        ContractRule("a taken key refuses a second commit and keeps its bytes") { store in
            let key = try newKey()
            try await commit(ByteBuffer(string: "first"), as: key, in: store)
            let second = try await store.stage()
            try await second.append(ByteBuffer(string: "second"))
            _ = try await second.finish()
            await #expect(throws: (any Error).self) { try await second.commit(as: key) }
            await second.discard()
            let blob = try #require(try await store.open(key))
            #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "first"))
        },
        ContractRule("a discard after a commit changes nothing") { store in
            let key = try newKey()
            let staged = try await store.stage()
            try await staged.append(ByteBuffer(string: "kept"))
            _ = try await staged.finish()
            try await staged.commit(as: key)
            await staged.discard()
            #expect(try await store.open(key)?.size == 4)
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

    private static func commit(_ bytes: ByteBuffer, as key: FileKey, in store: any BlobStore) async throws {
        let staged = try await store.stage()
        try await staged.append(bytes)
        _ = try await staged.finish()
        try await staged.commit(as: key)
    }

    private static func pattern(_ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }
}
