import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Commits whose steps fail.
@Suite struct BlobStorageTests {
    private let fixture: UploadFixture
    private let logger: Logger
    private let failure = ServiceError(.storageFailing, "Broken.")

    init() throws {
        fixture = try UploadFixture()
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        logger = quiet
    }

    @Test("a put whose answer is lost is undone, and the bytes can be committed again")
    func lostAnswer() async throws {
        let id = ObjectIDGenerator().next()
        let key = try Samples.record().key
        let staged = try await fixture.staging.stage(as: id)
        fixture.blobs.failPuts(failure, afterStoring: true)
        await expectFailure(.storageFailing) { try await fixture.commit("abc", from: staged, as: key, of: id) }
        #expect(fixture.blobs.count == 0)
        #expect(try await fixture.staging.leftovers() == [.staged(id)])
        fixture.blobs.failPuts(nil)
        try await fixture.commit("abc", from: staged, as: key, of: id)
        #expect(try await fixture.text(of: key) == "abc")
    }

    @Test("a put that cannot be undone keeps its note, and the next start undoes it")
    func stuckPut() async throws {
        let service = fixture.service()
        fixture.blobs.failPuts(failure, afterStoring: true)
        fixture.blobs.failUndos(failure)
        await expectFailure(.storageFailing) { try await upload("abc", to: service) }
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 1)
        // The next start cannot either, and the server starts all the same.
        try await fixture.service().recover(logger)
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 1)
        fixture.blobs.failUndos(nil)
        try await fixture.service().recover(logger)
        #expect(fixture.blobs.count == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("a start that cannot give an unfinished upload its bytes back fails")
    func stuckUpload() async throws {
        let (upload, token) = try await fixture.begin(on: fixture.service())
        let claims = try await fixture.service().send([(1, "aaaa")], token)
        let staged = try await fixture.staging.stage(as: upload.id)
        let facts = try await staged.finish(size: 4, needsMD5: false).blob
        try await fixture.storage.commit(staged, facts, as: upload.key, of: upload.id)
        fixture.blobs.failUndos(failure)
        await expectFailure(.storageFailing) { try await fixture.service().recover(logger) }
        fixture.blobs.failUndos(nil)
        try await fixture.service().recover(logger)
        let record = try await fixture.service().finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaa")
    }

    @Test("while it cannot be told whether the record was stored, blob and note stay", arguments: [false, true])
    func unknownRecord(byToken: Bool) async throws {
        let failure = StoreFailure()
        let service = fixture.service(through: failure.store(on: fixture.store))
        if byToken {
            let token = try await fixture.token(on: service)
            await #expect(throws: Broken.self) {
                try await service.using(token) { upload in
                    try await upload.receiveAll(announced: nil) { sink in
                        try await sink.append(ByteBuffer(string: "abc"))
                        failure.failOnceWritten()
                        return [:]
                    }
                }
            }
        } else {
            failure.failOnceWritten()
            await #expect(throws: Broken.self) { try await upload("abc", to: service) }
        }
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 1)
        try await fixture.service().recover(logger)
        #expect(fixture.blobs.count == 0)
        #expect(fixture.staging.count == 0)
        #expect(fixture.store.count(of: .file) == 0)
    }

    private func upload(_ text: String, to service: UploadService) async throws -> [FileRecord] {
        var upload = try await service.begin(announced: nil, as: fixture.people.guest)
        try await upload.append(ByteBuffer(string: text))
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        return try await service.commit([(upload, description)], as: fixture.people.guest)
    }
}

/// A store that fails for ever with the next write after a moment.
private final class StoreFailure: Sendable {
    private enum State {
        case whole
        case failsOnWrite
        case failed
    }

    private let state = Mutex(State.whole)

    func failOnceWritten() {
        state.withLock { $0 = .failsOnWrite }
    }

    func store(on base: MemoryObjectStore) -> HookedStore {
        HookedStore(
            base,
            beforeRead: { [self] in if state.withLock({ $0 == .failed }) { throw Broken() } },
            beforeWrite: { [self] in
                let fails = state.withLock { state in
                    if state == .failsOnWrite { state = .failed }
                    return state == .failed
                }
                if fails { throw Broken() }
            }
        )
    }
}
