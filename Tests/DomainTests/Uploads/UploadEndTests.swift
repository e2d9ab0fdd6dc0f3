import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// What ends by itself, and what a dead server left.
@Suite struct UploadEndTests {
    private let fixture: UploadFixture
    private let service: UploadService
    private let logger: Logger

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service(UploadLimits(partSize: 4, startTimeout: 100, expireAfter: 1000))
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        logger = quiet
    }

    private func swept(_ uploads: Int, _ bytes: Int64) -> Swept {
        var swept = Swept()
        swept.uploads = uploads
        swept.bytes = bytes
        return swept
    }

    @Test("an upload without a byte is gone when its time to start is over, not before")
    func waiting() async throws {
        let token = try await fixture.token(on: service, size: 4)
        fixture.clock.pass(seconds: 99)
        #expect(try await service.sweep() == Swept())
        fixture.clock.pass(seconds: 2)
        #expect(try await service.sweep() == swept(1, 0))
        #expect(try await service.knows(token) == false)
        #expect(try await fixture.usage() == Usage())
        #expect(fixture.store.count(of: .upload) == 0)
    }

    @Test("an upload has its whole time from its first byte on, and is gone with its bytes then")
    func receiving() async throws {
        let token = try await fixture.token(on: service)
        fixture.clock.pass(seconds: 99)
        _ = try await service.send([(1, "aaaa"), (2, "bb")], token)
        fixture.clock.pass(seconds: 999)
        #expect(try await service.sweep() == Swept())
        #expect(try await service.knows(token))
        fixture.clock.pass(seconds: 2)
        #expect(try await service.sweep() == swept(1, 6))
        #expect(fixture.store.count(of: .upload) == 0)
        #expect(fixture.store.count(of: .uploadPart) == 0)
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.usage() == Usage())
    }

    @Test("what came before the server was started again is swept as well")
    func afterRestart() async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.append("abc", at: 0, token)
        let next = fixture.service()
        fixture.clock.pass(seconds: 1001)
        #expect(try await next.sweep() == swept(1, 3))
        #expect(fixture.staging.count == 0)
    }

    @Test("an upload whose time is over is gone before it is swept")
    func expired() async throws {
        let token = try await fixture.token(on: service)
        fixture.clock.pass(seconds: 101)
        await expectFailure(.uploadNotFound) { try await service.put("abc", token) }
        #expect(try await service.knows(token) == false)
    }

    @Test("an upload with a running request is not swept, and has time to continue")
    func busy() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 4)
        let body = SlowBody("ab", "cd")
        let sending = Task { [service] in try await service.append(body, at: 0, token) }
        await body.begun.wait()
        fixture.clock.pass(seconds: 1001)
        #expect(try await service.sweep() == Swept())
        body.mayGoOn.open()
        _ = try await sending.value
        #expect(try await fixture.text(of: upload.key) == "abcd")
    }

    @Test("a finished upload is forgotten after an hour, and its file stays")
    func finished() async throws {
        let token = try await fixture.token(on: service)
        let record = try await service.put("abc", token)
        fixture.clock.pass(seconds: 3599)
        #expect(try await service.sweep() == Swept())
        #expect(try await service.knows(token))
        fixture.clock.pass(seconds: 2)
        #expect(try await service.sweep() == Swept())
        #expect(try await service.knows(token) == false)
        #expect(fixture.store.count(of: .upload) == 0)
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(try await fixture.usage() == Usage(bytes: 3, files: 1))
    }

    @Test("an upload whose time is over answers no more, also while a sweep removes it")
    func expiring() async throws {
        let looking = Mutex<(@Sendable () async throws -> Void)?>(nil)
        let store = HookedStore(fixture.store, beforeWrite: { _ = try await looking.withLock(\.self)?() })
        let service = fixture.service(UploadLimits(partSize: 4, startTimeout: 100, expireAfter: 1000), through: store)
        let token = try await fixture.token(on: service)
        _ = try await service.send([(1, "aaaa")], token)
        fixture.clock.pass(seconds: 1001)
        #expect(try await service.knows(token) == false)
        let known = Mutex<[Bool]>([])
        looking.withLock {
            $0 = {
                let isKnown = try await service.knows(token)
                known.withLock { $0.append(isKnown) }
            }
        }
        #expect(try await service.sweep() == swept(1, 4))
        #expect(known.withLock { !$0.isEmpty && !$0.contains(true) })
    }

    @Test("any number of uploads is swept at once")
    func many() async throws {
        for _ in 0..<450 { _ = try await fixture.token(on: service) }
        fixture.clock.pass(seconds: 101)
        #expect(try await service.sweep() == swept(450, 0))
    }

    @Test("bytes that belong to no upload are removed at the start")
    func stray() async throws {
        let staged = try await fixture.staging.stage(as: ObjectIDGenerator().next())
        try await fixture.write("stray", to: staged)
        try await service.recover(logger)
        #expect(fixture.staging.count == 0)
    }

    @Test("bytes of an unfinished upload stay at the start")
    func unfinished() async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa")], token)
        let next = fixture.service()
        try await next.recover(logger)
        let record = try await next.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaa")
    }

    @Test("bytes that a finished upload left staged are removed at the start")
    func finishedLeftover() async throws {
        let (upload, token) = try await fixture.begin(on: service)
        let record = try await service.put("abc", token)
        let staged = try await fixture.staging.stage(as: upload.id)
        try await fixture.write("abc", to: staged)
        try await fixture.service().recover(logger)
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.text(of: record.key) == "abc")
    }

    @Test("a commit whose record is there is ended at the start")
    func committed() async throws {
        let record = try Samples.record()
        let staged = try await fixture.staging.stage()
        try await fixture.commit("abc", from: staged, as: record.key, of: record.id)
        try await FileRecords(fixture.store).insert([record])
        try await fixture.service().recover(logger)
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.staging.leftovers() == [])
    }

    @Test("a commit of one request whose record is not there is undone at the start")
    func uncommitted() async throws {
        let record = try Samples.record()
        let staged = try await fixture.staging.stage()
        try await fixture.commit("abc", from: staged, as: record.key, of: record.id)
        try await fixture.service().recover(logger)
        #expect(fixture.blobs.count == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("a commit of an upload whose record is not there is undone at the start, and the upload goes on")
    func uncommittedUpload() async throws {
        let (upload, token) = try await fixture.begin(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        let staged = try await fixture.staging.stage(as: upload.id)
        let facts = try await staged.finish(size: 8, needsMD5: false).blob
        try await fixture.storage.commit(staged, facts, as: upload.key, of: upload.id)
        let next = fixture.service()
        try await next.recover(logger)
        #expect(fixture.blobs.count == 0)
        let record = try await next.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
        #expect(fixture.staging.count == 0)
    }

    @Test("a commit of a copy of parts whose record is not there is undone at the start, and the parts stay")
    func uncommittedCopy() async throws {
        let (upload, token) = try await fixture.begin(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbbbbbb")], token)
        let copy = try await fixture.staging.stage()
        try await fixture.commit("aaaabbbbbbbb", from: copy, as: upload.key, of: upload.id)
        let next = fixture.service()
        try await next.recover(logger)
        #expect(fixture.blobs.count == 0)
        let record = try await next.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbbbbbb")
        #expect(fixture.staging.count == 0)
    }
}
