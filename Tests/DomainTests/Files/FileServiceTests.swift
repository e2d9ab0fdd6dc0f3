import Domain
import NIOCore
import Support
import Testing

@Suite struct FileServiceTests {
    private let blobs = MemoryBlobStore()
    private let files = MemoryFileStore()
    private let service: FileService
    private let client: Caller
    private let master: Caller

    init() throws {
        service = FileService(files: files, blobs: blobs)
        let app = try #require(AppID("app"))
        client = Caller(app: app, role: .client)
        master = Caller(app: app, role: .master)
    }

    private func storedRecord() async throws -> FileRecord {
        let record = try Samples.record()
        let staged = try await blobs.stage()
        try await staged.append(ByteBuffer(string: "abc"))
        _ = try await staged.finish()
        try await staged.commit(as: record.key)
        try await files.insert([record])
        return record
    }

    @Test("only the master key deletes, and then row and bytes are gone")
    func delete() async throws {
        let record = try await storedRecord()
        let error = await #expect(throws: ServiceError.self) { try await service.delete(record.id, as: client) }
        #expect(error?.code == .forbidden)
        #expect(blobs.count == 1)
        try await service.delete(record.id, as: master)
        #expect(try await files.count() == 0)
        #expect(blobs.count == 0)
        try await service.delete(record.id, as: master)
    }

    @Test("a missing id is objectNotFound")
    func missing() async throws {
        let id = ObjectIDGenerator().next()
        let error = await #expect(throws: ServiceError.self) { try await service.get(id, as: client) }
        #expect(error?.code == .objectNotFound)
    }

    @Test("a row whose bytes are gone is fileNotFound")
    func bytesGone() async throws {
        let record = try await storedRecord()
        try await blobs.remove(record.key)
        let error = await #expect(throws: ServiceError.self) { try await service.open(record.key) }
        #expect(error?.code == .fileNotFound)
    }

    @Test(
        "limits out of range act as 100, a negative skip is refused",
        arguments: [
            (nil, 100), (0, 0), (1, 1), (1000, 1000), (1001, 100), (-1, 100),
        ] as [(Int?, Int)]
    )
    func page(limit: Int?, expected: Int) throws {
        #expect(try Page(limit: limit).limit == expected)
        #expect(throws: ServiceError.self) { try Page(limit: limit, skip: -1) }
    }
}

@Suite struct MemoryStoreTests {
    @Test("records in memory keep the contract", arguments: FileStoreContract.rules)
    func files(rule: ContractRule<any FileStore>) async throws {
        try await rule.check(MemoryFileStore())
    }

    @Test("blobs in memory keep the contract", arguments: BlobStoreContract.rules)
    func blobs(rule: ContractRule<any BlobStore>) async throws {
        try await rule.check(MemoryBlobStore())
    }
}
