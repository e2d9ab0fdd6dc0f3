internal import Domain
internal import NIOCore
internal import Testing

extension BlobStoreContract {
    static let trash: [ContractRule<BlobStorage>] = [
        ContractRule("a blob that moves to the trash frees its key, and comes back to it") { storage in
            let blob = try await trashed("first", in: storage)
            #expect(try await storage.blobs.open(blob.key) == nil)
            #expect(try await storage.blobs.open(trashed: blob.entry)?.size == 5)
            #expect(try await storage.blobs.open(trashed: ObjectIDGenerator().next()) == nil)
            try await commit(ByteBuffer(string: "second"), as: blob.key, in: storage)
            await expectFailure(.duplicateValue) { try await storage.blobs.restore(blob) }
            #expect(try await storage.blobs.open(blob.key)?.size == 6)
            try await storage.blobs.remove(blob.key)
            #expect(try await storage.blobs.restore(blob))
            #expect(try await storage.blobs.open(blob.key)?.size == 5)
            #expect(try await storage.blobs.restore(blob))
        },
        ContractRule("a move that is repeated moves nothing twice, and takes back a restoring that was cut off") {
            storage in
            let blob = try await trashed("bytes", in: storage)
            for _ in 0..<2 {
                #expect(try await storage.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
                #expect(try await storage.blobs.restore(blob))
                #expect(try await storage.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
                #expect(try await storage.blobs.open(blob.key) == nil)
            }
            #expect(try await storage.blobs.restore(blob))
        },
        ContractRule("what the trash has no more stays with its key, and cannot be restored otherwise") { storage in
            let blobs = [try await trashed("kept", in: storage), try await trashed("gone", in: storage)]
            #expect(try await storage.blobs.restore(blobs[0]))
            for _ in 0..<2 {
                let failures = try await storage.blobs.removeFromTrash(blobs.map(\.entry))
                #expect(failures.count == 2 && failures.allSatisfy { $0 == nil })
            }
            #expect(try await storage.blobs.open(blobs[0].key)?.size == 4)
            #expect(try await storage.blobs.restore(blobs[0]))
            #expect(try await storage.blobs.restore(blobs[1]) == false)
            #expect(try await storage.blobs.open(blobs[1].key) == nil)
        },
        ContractRule("many blobs move at once, with one that is not there") { storage in
            let blobs = try (0..<70).map { _ in
                TrashedBlob(entry: ObjectIDGenerator().next(), key: try FileKey.random())
            }
            for blob in blobs.dropLast() { try await commit(ByteBuffer(string: "bytes"), as: blob.key, in: storage) }
            let failures = try await storage.blobs.moveToTrash(blobs)
            #expect(failures.count == 70 && failures.allSatisfy { $0 == nil })
            for blob in blobs.dropLast() {
                #expect(try await storage.blobs.open(blob.key) == nil)
                #expect(try await storage.blobs.restore(blob))
            }
            #expect(try await storage.blobs.restore(blobs[69]) == false)
        },
    ]

    /// A blob that was committed and moved.
    private static func trashed(_ text: String, in storage: BlobStorage) async throws -> TrashedBlob {
        let blob = TrashedBlob(entry: ObjectIDGenerator().next(), key: try FileKey.random())
        try await commit(ByteBuffer(string: text), as: blob.key, in: storage)
        #expect(try await storage.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
        return blob
    }
}
