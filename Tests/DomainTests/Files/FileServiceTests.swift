import Domain
import NIOCore
import Support
import Testing

@Suite struct FileServiceTests {
    private let blobs = MemoryBlobStore()
    private let store = MemoryObjectStore()
    private let service: FileService

    init() {
        service = FileService(files: FileRecords(store), blobs: blobs)
    }

    private func storedRecord() async throws -> FileRecord {
        let record = try Samples.record()
        _ = try await blobs.store("abc", as: record.key)
        try await FileRecords(store).insert([record])
        return record
    }

    @Test("a file whose record goes is served no more, whichever way it went; if the transaction fails it stays")
    func cache() async throws {
        let record = try await storedRecord()
        let file = try #require(try await service.find(record.key))
        _ = try await service.openShared(file)
        let reads = store.readCount
        await #expect(throws: Broken.self) {
            try await store.write { writer in
                _ = try writer.delete(record.id, in: .file)
                throw Broken()
            }
        }
        #expect(try await service.find(record.key) == file)
        #expect(store.readCount == reads)
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        #expect(try await service.find(record.key) == nil)
        try await blobs.remove(record.key)
        let error = await #expect(throws: ServiceError.self) { try await service.openShared(file) }
        #expect(error?.code == .fileNotFound)
    }

    @Test("a record that changes is served as it is now")
    func changed() async throws {
        let record = try await storedRecord()
        #expect(try await service.find(record.key)?.mediaType == .jpeg)
        try await store.write { writer in
            var object = try #require(try writer.object(record.id, in: .file))
            object.fields["mime_type"] = "image/png"
            try writer.update(object, in: .file)
        }
        #expect(try await service.find(record.key)?.mediaType.description == "image/png")
    }

    @Test(
        "a record with a size that no file has, as after damage, is an internal failure",
        arguments: [-3, .max] as [Int64]
    )
    func impossibleSize(size: Int64) async throws {
        let record = try await storedRecord()
        try await store.write { writer in
            var object = try #require(try writer.object(record.id, in: .file))
            object.fields["_size"] = .integer(size)
            try writer.update(object, in: .file)
        }
        let error = await #expect(throws: ServiceError.self) { try await service.find(record.key) }
        #expect(error?.code == .internalFailure)
    }

    @Test("clients are redirected only to the blob of the record, for which the store is asked once until it changes")
    func remote() async throws {
        let blobs = MemoryBlobStore(isRemote: true)
        let service = FileService(files: FileRecords(store), blobs: blobs)
        let record = try Samples.record()
        _ = try await blobs.store("abc", as: record.key)
        try await FileRecords(store).insert([record])
        let file = try #require(try await service.find(record.key))
        for _ in 1...3 { #expect(try await service.remote(file)?.size == file.size) }
        #expect(blobs.remoteLookups == 1)
        try await store.write { writer in
            var object = try #require(try writer.object(record.id, in: .file))
            object.fields["mime_type"] = "image/png"
            try writer.update(object, in: .file)
        }
        #expect(try await service.remote(file) != nil)
        #expect(blobs.remoteLookups == 2)
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        try await blobs.remove(record.key)
        #expect(try await service.remote(file) == nil)
        _ = try await blobs.store("another size", as: record.key)
        #expect(try await service.remote(file) == nil)
    }

    @Test("a store that sends clients nothing gives no redirect")
    func local() async throws {
        #expect(try await service.remote(ServedFile(try await storedRecord())) == nil)
    }

    @Test("lost bytes of a file are a failure, and no missing file")
    func bytesLost() async throws {
        let record = try await storedRecord()
        try await blobs.remove(record.key)
        for open in [service.open, service.openShared] {
            let error = await #expect(throws: ServiceError.self) { try await open(ServedFile(record)) }
            #expect(error?.code == .internalFailure)
            #expect(error?.cause is UnreadableBlob)
        }
    }

    @Test("bytes of a deleted file are missing without damage, also if another file has its key")
    func bytesOfDeletedFile() async throws {
        let record = try await storedRecord()
        let file = ServedFile(record)
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        try await blobs.remove(file.key)
        let deleted = await #expect(throws: ServiceError.self) { try await service.open(file) }
        #expect(deleted?.code == .fileNotFound)
        try await FileRecords(store).insert([Samples.record(key: file.key)])
        let replaced = await #expect(throws: ServiceError.self) { try await service.open(file) }
        #expect(replaced?.code == .fileNotFound)
    }

    @Test("bytes that are fewer or more than the row says are not served")
    func otherSize() async throws {
        for bytes in ["ab", "abcd"] {
            let record = try Samples.record()
            _ = try await blobs.store(bytes, as: record.key)
            try await FileRecords(store).insert([record])
            let file = ServedFile(record)
            let error = await #expect(throws: ServiceError.self) { try await service.open(file) }
            #expect(error?.code == .internalFailure)
            #expect(error?.cause is UnreadableBlob)
            await #expect(throws: ServiceError.self) { try await service.openShared(file) }
        }
    }
}
