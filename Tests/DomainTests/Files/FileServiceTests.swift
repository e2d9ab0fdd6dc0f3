import Domain
import NIOCore
import Support
import Testing

@Suite struct FileServiceTests {
    private let blobs = MemoryBlobStore()
    private let store = MemoryObjectStore()
    private let service: FileService
    private let objects: ObjectService
    private let client: Caller
    private let master: Caller

    init() throws {
        service = FileService(files: FileRecords(store), blobs: blobs)
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accounts: Accounts(hasher: PlainHasher())
        )
        objects = ObjectService(store: store, settings: settings, removal: service)
        let app = try #require(AppID("app"))
        client = Caller(app: app)
        master = Caller(app: app, isMaster: true)
    }

    private func storedRecord() async throws -> FileRecord {
        let record = try Samples.record()
        _ = try await blobs.store("abc", as: record.key)
        try await FileRecords(store).insert([record])
        return record
    }

    @Test("only the master key deletes a file, and then row and bytes are gone")
    func delete() async throws {
        let record = try await storedRecord()
        let delete = ObjectCommand(.file, .delete([record.id], where: nil))
        let error = await #expect(throws: ServiceError.self) { try await objects.perform(delete, as: client) }
        #expect(error?.code == .forbidden)
        #expect(blobs.count == 1)
        _ = try await objects.perform(delete, as: master)
        #expect(store.count(of: .file) == 0)
        #expect(blobs.count == 0)
        _ = try await objects.perform(delete, as: master)
    }

    @Test("a row whose bytes are gone is fileNotFound")
    func bytesGone() async throws {
        let record = try await storedRecord()
        try await blobs.remove(record.key)
        let error = await #expect(throws: ServiceError.self) { try await service.open(ServedFile(record)) }
        #expect(error?.code == .fileNotFound)
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

@Suite struct MemoryStoreTests {
    @Test(
        "objects in memory keep the contract",
        arguments: ObjectStoreContract.rules + ReadersContract.rules + ChangesContract.rules
    )
    func objects(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("file records in memory keep the contract", arguments: FileRecordsContract.rules)
    func files(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("conditions in memory match by the table of cases", arguments: QueryCase.all)
    func queries(table: QueryCase) async throws {
        try await table.check(MemoryObjectStore())
    }

    @Test("blobs in memory keep the contract", arguments: BlobStoreContract.rules)
    func blobs(rule: ContractRule<any BlobStore>) async throws {
        try await rule.check(MemoryBlobStore())
    }
}
