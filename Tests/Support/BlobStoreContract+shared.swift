package import Domain
internal import NIOCore
internal import Testing

extension BlobStoreContract {
    /// What a store promises besides that several servers use (``BlobStore/isShared``).
    package static let sharedRules: [ContractRule<BlobStorage>] = [
        ContractRule("a removal that names a file leaves the blob that another file has under the key since") {
            storage in
            let (key, ids) = (try FileKey.random(), ObjectIDGenerator())
            let (first, second) = (ids.next(), ids.next())
            try await commit(ByteBuffer(string: "first"), as: key, of: first, in: storage)
            #expect(try await storage.blobs.remove([FileBlob(key: key, file: first)]).allSatisfy { $0 == nil })
            try await commit(ByteBuffer(string: "second"), as: key, of: second, in: storage)
            // Another server with the row of the first file.
            #expect(try await storage.blobs.remove([FileBlob(key: key, file: first)]).allSatisfy { $0 == nil })
            let entry = ids.next()
            let stale = TrashedBlob(entry: entry, key: key, file: first)
            #expect(try await storage.blobs.moveToTrash([stale]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(key)?.size == 6)
            #expect(try await storage.blobs.restore(stale) == false)
            let blob = TrashedBlob(entry: entry, key: key, file: second)
            #expect(try await storage.blobs.restore(blob))
            #expect(try await storage.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(key) == nil)
            #expect(try await storage.blobs.restore(blob))
            #expect(try await storage.blobs.remove([FileBlob(key: key, file: second)]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(key) == nil)
        },
        ContractRule("a file has the blob of a later put: it is removed, trashed and restored under the file's id") {
            storage in
            let (key, ids) = (try FileKey.random(), ObjectIDGenerator())
            let file = ids.next()
            let put = PutName(file: file, number: 2).id
            try await commit(ByteBuffer(string: "later"), as: key, of: put, in: storage)
            let blob = TrashedBlob(entry: ids.next(), key: key, file: file)
            #expect(try await storage.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(key) == nil)
            #expect(try await storage.blobs.restore(blob))
            #expect(try await storage.blobs.restore(blob))
            #expect(try await storage.blobs.open(key)?.size == 5)
            #expect(try await storage.blobs.removeFromTrash([blob.entry]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.remove([FileBlob(key: key, file: ids.next())]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(key)?.size == 5)
            #expect(try await storage.blobs.remove([FileBlob(key: key, file: file)]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(key) == nil)
        },
        ContractRule("a file has the bytes that it took over: they are opened, trashed, restored and removed") {
            storage in
            let (key, ids) = (try FileKey.random(), ObjectIDGenerator())
            let (created, file) = (ids.next(), ids.next())
            try await commit(ByteBuffer(string: "taken"), as: key, of: created, in: storage)
            let blob = FileBlob(key: key, file: file, replaced: created)
            #expect(try await storage.blobs.open(blob)?.size == 5)
            let trashed = TrashedBlob(entry: ids.next(), blob: blob)
            #expect(try await storage.blobs.moveToTrash([trashed]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(blob) == nil)
            #expect(try await storage.blobs.restore(trashed))
            #expect(try await storage.blobs.restore(trashed))
            #expect(try await storage.blobs.open(blob)?.size == 5)
            #expect(try await storage.blobs.removeFromTrash([trashed.entry]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.remove([blob]).allSatisfy { $0 == nil })
            #expect(try await storage.blobs.open(blob) == nil)
        },
    ]
}
