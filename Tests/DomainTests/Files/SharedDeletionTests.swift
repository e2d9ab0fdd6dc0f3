import NIOCore
import Support
import Testing

@testable import Domain

@Suite("Deletions of a store and of blobs that several servers share")
struct SharedDeletionTests {
    private let ids = ObjectIDGenerator()

    @Test("a row whose key has a file by now removes the blob of its own file only in shared blobs")
    func reusedKey() throws {
        let key = try Samples.record().key
        let (old, new) = (ids.next(), ids.next())
        let row = PendingDeletion(id: old, key: key, isOfTrash: false, file: old)
        let unknown = PendingDeletion(id: ids.next(), key: key, isOfTrash: true, file: nil)
        func work(_ rows: [PendingDeletion], owner: ObjectID, isShared: Bool) -> DeletionWork {
            DeletionWork(rows, owners: [key: owner], entries: [], isShared: isShared)
        }
        #expect(work([row], owner: new, isShared: true).removals == [row])
        #expect(work([row], owner: new, isShared: false).wrong == [row])
        // The bytes of an existing record stay.
        #expect(work([row], owner: old, isShared: true).wrong == [row])
        #expect(work([unknown], owner: new, isShared: true).wrong == [unknown])
    }

    @Test("rows name the file, also those of earlier versions and those whose id was taken")
    func rows() throws {
        let (file, entry, key) = (ids.next(), ids.next(), try Samples.record().key)
        let now = Timestamp.now()
        let plain = StoredObject(id: file, createdAt: now, updatedAt: now, fields: ["key": .string(key.description)])
        #expect(PendingDeletion(stored: plain).blob == FileBlob(key: key, file: file))
        let trashed = PendingDeletion.trashing(entry, FileBlob(key: key, file: file), at: now)
        #expect(PendingDeletion(stored: trashed).blob == FileBlob(key: key, file: file))
        var earlier = trashed
        earlier.fields["_file"] = nil
        #expect(PendingDeletion(stored: earlier).blob == FileBlob(key: key, file: nil))
        #expect(PendingDeletion(stored: PendingDeletion.trashing(entry, nil, at: now)).blob == nil)
    }

    @Test("what another server deletes loses its derivatives here", arguments: [true, false])
    func derivatives(isShared: Bool) async throws {
        let store = MemoryObjectStore(isShared: isShared)
        let blobs = MemoryBlobStore(isShared: isShared)
        let derivatives = MemoryDerivativeStore()
        let deletions = FileDeletions(
            app: try #require(AppID("app")),
            store: store,
            blobs: blobs,
            derivatives: derivatives,
            files: FileService(files: FileRecords(store), blobs: blobs)
        )
        let record = try Samples.record()
        let name = DerivativeName(source: record.key.description, request: "small")
        try await FileRecords(store).insert([record])
        try await derivatives.store(ByteBuffer(string: "small"), as: .png, under: name)
        // Another server has the lease of the queue, and has removed the row.
        let following = Task { await deletions.followDeletions() }
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        if isShared { try await eventually { try await derivatives.open(name) == nil } }
        following.cancel()
        await following.value
        #expect(try await (derivatives.open(name) == nil) == isShared)
    }
}
