import NIOCore
import Support
import Testing

@testable import Domain

@Suite struct UploadServiceTests {
    private let staging = MemoryStagingArea()
    private let blobs = MemoryBlobStore()
    private let store = MemoryObjectStore()
    private let caller: Caller

    init() throws {
        caller = Caller(app: try #require(AppID("app")))
    }

    private func service(
        _ store: MemoryObjectStore? = nil,
        limits: UploadLimits = UploadLimits(),
        requestLimits: RequestLimits = RequestLimits()
    ) -> UploadService {
        let store = store ?? self.store
        return UploadService(
            app: caller.app,
            limits: limits,
            storage: BlobStorage(staging: staging, blobs: blobs),
            store: store,
            types: FixedTypes(),
            sessions: SessionService(
                store: store,
                dependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
            ),
            requestLimits: requestLimits
        )
    }

    @Test("each file of a form counts as an upload that begins")
    func formCounts() async throws {
        var settings = RequestLimits.Settings()
        settings.uploads = 4
        let service = service(requestLimits: RequestLimits(settings))
        let guest = Caller(app: caller.app, address: "192.0.2.1")
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        func receive(_ count: Int) async throws -> Int {
            try await service.receive(as: guest) { files in
                for _ in 0..<count { try await files.begin() }
                return Array(repeating: description, count: count)
            }.count
        }
        #expect(try await receive(2) == 2)
        await expectFailure(.overloaded) { try await receive(3) }
        #expect(blobs.count == 2)
        #expect(staging.count == 0)
    }

    private func upload(_ text: String, to service: UploadService) async throws -> StagedUpload {
        var upload = try await service.begin(announced: nil, as: caller)
        try await upload.append(ByteBuffer(string: text))
        return upload
    }

    private func record(of bytes: String, _ description: UploadDescription) async throws -> FileRecord {
        let service = service()
        let upload = try await upload(bytes, to: service)
        return try #require(try await service.commit([(upload, description)], as: caller).first)
    }

    @Test("of two uploads with the same given id, the second leaves neither record nor bytes")
    func givenTwice() async throws {
        let master = Caller(app: caller.app, isMaster: true)
        var description = UploadDescription(name: try FileName("a.txt", limit: 255))
        description.systemFields = ["objectId": "a1", "createdAt": "2020-01-02T03:04:05.678Z"]
        let service = service()
        let first = try await service.commit([(try await upload("abc", to: service), description)], as: master)[0]
        #expect(first.id.description == "a1")
        #expect(first.createdAt.iso8601 == "2020-01-02T03:04:05.678Z")
        let second = try await upload("def", to: service)
        let error = await #expect(throws: ServiceError.self) {
            try await service.commit([(second, description)], as: master)
        }
        #expect(error?.code == .duplicateValue)
        #expect(blobs.count == 1)
        #expect(try await blobs.open(first.key) != nil)
        #expect(try await staging.leftovers().isEmpty)
    }

    @Test("a commit that another server can have reverted gets no record, and leaves no bytes")
    func revertedCommit() async throws {
        let service = service()
        let upload = try await upload("abc", to: service)
        staging.countAsEnded()
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        await expectFailure(.overloaded) { try await service.commit([(upload, description)], as: caller) }
        #expect(store.count(of: .file) == 0 && blobs.count == 0)
        #expect(try await staging.leftovers().isEmpty)
    }

    @Test("size, checksum and owner are the server's own words")
    func metaData() async throws {
        let record = try await record(
            of: "abc",
            UploadDescription(
                name: FileName("a.txt", limit: 255),
                metaData: ["size": .integer(99), "mine": .bool(true)]
            )
        )
        #expect(
            record.metaData == [
                "size": .integer(3), "mine": .bool(true), "owner": .string("unknown"),
                "_checksum": .string("900150983cd24fb0d6963f7d28e17f72"),
            ]
        )
        #expect(try await FileRecords(store).file(id: record.id) == record)
        #expect(try await blobs.open(record.key)?.size == 3)
    }

    @Test(
        "the type is what the client says, else the extension's, else the bytes', else unknown",
        arguments: [
            ("a.txt", "image/png", "abc", "image/png"), ("a.txt", nil, "\u{0}", "text/plain"),
            ("a.bin", nil, "abc", "application/octet-stream"), ("a", nil, "", "application/octet-stream"),
        ] as [(String, String?, String, String)]
    )
    func type(name: String, claimed: String?, bytes: String, expected: String) async throws {
        let description = UploadDescription(
            name: try FileName(name, limit: 255),
            mediaType: claimed.flatMap { MediaType($0) }
        )
        #expect(try await record(of: bytes, description).mediaType.description == expected)
    }

    @Test("what the bytes are is kept beside what was claimed")
    func detectedType() async throws {
        let service = service()
        var upload = try await service.begin(announced: nil, as: caller)
        try await upload.append(ByteBuffer(bytes: [0xff, 0xd8, 0xff, 0xe0]))
        let description = UploadDescription(name: try FileName("a.html", limit: 255))
        let record = try #require(try await service.commit([(upload, description)], as: caller).first)
        #expect(record.mediaType.description == "text/html")
        #expect(record.detectedType == .jpeg)
    }

    @Test("bytes beyond the limit are refused, announced or not")
    func limit() async throws {
        let service = service(limits: UploadLimits(fileSize: 10))
        let announced = await #expect(throws: ServiceError.self) { try await service.begin(announced: 11, as: caller) }
        #expect(announced?.code == .payloadTooLarge)
        #expect(staging.count == 0)
        var upload = try await service.begin(announced: nil, as: caller)
        try await upload.append(ByteBuffer(repeating: 0, count: 10))
        let received = await #expect(throws: ServiceError.self) {
            try await upload.append(ByteBuffer(repeating: 0, count: 1))
        }
        #expect(received?.code == .payloadTooLarge)
    }

    @Test("an upload that was finished before its commit is the same file")
    func finishedEarly() async throws {
        let service = service()
        var upload = try await upload("abc", to: service)
        try await upload.end()
        let description = UploadDescription(name: try FileName("a", limit: 255))
        let record = try #require(try await service.commit([(upload, description)], as: caller).first)
        #expect(record.facts.size == 3)
        #expect(record.facts.md5 == "900150983cd24fb0d6963f7d28e17f72")
    }

    @Test("a wrong checksum refuses the upload and keeps nothing")
    func checksum() async throws {
        let service = service()
        let upload = try await upload("abc", to: service)
        let description = UploadDescription(
            name: try FileName("a", limit: 255),
            metaData: ["_checksum": .string("9e107d9d372bb6826bd81d3542a419d6")]
        )
        let error = await #expect(throws: ServiceError.self) {
            try await service.commit([(upload, description)], as: caller)
        }
        #expect(error?.code == .checksumMismatch)
        #expect(store.count(of: .file) == 0)
        #expect(blobs.count == 0)
        #expect(staging.count == 0)
    }

    @Test("one bad file of several keeps none of them")
    func allOrNone() async throws {
        let service = service()
        let good = UploadDescription(name: try FileName("a", limit: 255))
        let bad = UploadDescription(name: try FileName("b", limit: 255), metaData: ["_checksum": .string("00")])
        let uploads = [(try await upload("1", to: service), good), (try await upload("2", to: service), bad)]
        await #expect(throws: ServiceError.self) { try await service.commit(uploads, as: caller) }
        #expect(store.count(of: .file) == 0)
        #expect(blobs.count == 0)
        #expect(staging.count == 0)
    }

    @Test("when the row cannot be written the bytes go too")
    func rowFails() async throws {
        let service = service(MemoryObjectStore(failingWritesWith: Broken(), times: 1))
        let upload = try await upload("abc", to: service)
        let description = UploadDescription(name: try FileName("a", limit: 255))
        await #expect(throws: Broken.self) { try await service.commit([(upload, description)], as: caller) }
        #expect(blobs.count == 0)
        #expect(staging.count == 0)
    }

    @Test("while it cannot be told whether the row was written the bytes stay, and a sweep removes them later")
    func rowIsUndecided() async throws {
        // The insert, the question whether it failed, and that of the first sweep.
        let service = service(MemoryObjectStore(failingWritesWith: Broken(), times: 3))
        let upload = try await upload("abc", to: service)
        let description = UploadDescription(name: try FileName("a", limit: 255))
        await #expect(throws: Broken.self) { try await service.commit([(upload, description)], as: caller) }
        #expect(blobs.count == 1)
        #expect(staging.count == 1)
        await #expect(throws: Broken.self) { try await service.sweep() }
        #expect(blobs.count == 1)
        _ = try await service.sweep()
        #expect(blobs.count == 0)
        #expect(staging.count == 0)
    }
}
