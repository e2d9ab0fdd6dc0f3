import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads whose bytes come in one request.
@Suite struct SingleRequestTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    @Test("the bytes of one request are the file that was announced")
    func file() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 3, metaData: ["mine": .bool(true)])
        let record = try await service.put("abc", token)
        #expect(record.id == upload.id)
        #expect(record.key == upload.key)
        #expect(record.metaData["mine"] == .bool(true))
        #expect(record.metaData["size"] == .integer(3))
        #expect(try await FileRecords(fixture.store).file(id: upload.id) == record)
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(fixture.staging.count == 0)
    }

    @Test("the same bytes again are the same file")
    func again() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.put("abc", token)
        let second = try await service.put("abc", token)
        #expect(second == first)
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 0)
    }

    @Test("the same request makes the file after one whose commit stayed undecided", arguments: ["abc", "other"])
    func undecided(text: String) async throws {
        let token = try await fixture.token(on: service)
        fixture.blobs.failPuts(StorageFault.failing.error(), afterStoring: true)
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectFailure(.storageFailing) { try await service.put("abc", token) }
        fixture.blobs.failPuts(nil)
        await expectFailure(.storageFailing) { try await service.put(text, token) }
        fixture.blobs.failUndos(nil)
        let record = try await service.put(text, token)
        #expect(try await fixture.text(of: record.key) == text)
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.staging.unsettled() == [])
    }

    @Test("a write that failed after its commit has stored the file")
    func storedByFailure() async throws {
        let store = LateFailingStore(fixture.store)
        let service = fixture.service(through: store)
        let token = try await fixture.token(on: service)
        store.failWrites(1)
        let record = try await service.put("abc", token)
        #expect(try await FileRecords(store).file(id: record.id) == record)
        #expect(try await service.put("abc", token) == record)
        #expect(fixture.staging.count == 0)
    }

    @Test("the same request gets the file of a write whose commit stayed undecided", arguments: [false, true])
    func undecidedRecord(sweeping: Bool) async throws {
        let store = LateFailingStore(fixture.store)
        let service = fixture.service(through: store)
        let token = try await fixture.token(on: service)
        store.failWrites(2)
        await expectFailure(.storageFailing) { try await service.put("abc", token) }
        if sweeping { _ = try await service.sweep() }
        await expectFailure(.uploadConflict) { try await service.put("other", token) }
        let record = try await service.put("abc", token)
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(try await FileRecords(store).file(id: record.id) == record)
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.staging.unsettled() == [])
    }

    @Test("the sweep leaves an undecided commit to a request that repeats it, and does not stop that")
    func sweptMeanwhile() async throws {
        let token = try await fixture.token(on: service)
        fixture.blobs.failPuts(StorageFault.failing.error(), afterStoring: true)
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectFailure(.storageFailing) { try await service.put("abc", token) }
        fixture.blobs.failPuts(nil)
        fixture.blobs.failUndos(nil)
        let body = SlowBody("ab", "c")
        let repeated = Task { [service] in try await service.put(body, token) }
        await body.begun.wait()
        _ = try await service.sweep()
        #expect(try await fixture.staging.unsettled().count == 1)
        body.mayGoOn.open()
        let record = try await repeated.value
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(try await fixture.staging.unsettled() == [])
    }

    @Test("parts that came before are gone with a request that has all bytes")
    func afterParts() async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.send([(1, "abcd"), (2, "efgh")], token)
        #expect(fixture.store.count(of: .uploadPart) == 2)
        let record = try await service.put("abc", token)
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(fixture.store.count(of: .uploadPart) == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("other bytes after the end are a conflict, as many or not", arguments: ["abd", "ab", "abcd", ""])
    func otherBytes(text: String) async throws {
        let token = try await fixture.token(on: service)
        let record = try await service.put("abc", token)
        await expectFailure(.uploadConflict) { try await service.put(text, token) }
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(fixture.staging.count == 0)
    }

    @Test("the same bytes after the deletion of the file are refused with that reason")
    func deleted() async throws {
        let token = try await fixture.token(on: service)
        let record = try await service.put("abc", token)
        let deletion = ObjectCommand(.file, .delete([record.id], where: nil))
        _ = try await fixture.people.objects.perform(deletion, as: fixture.people.master)
        let error = await #expect(throws: ServiceError.self) { try await service.put("abc", token) }
        #expect(error?.code == .uploadConflict)
        #expect(error?.message == "The upload is finished, and its file was deleted.")
    }

    @Test(
        "bytes that are not as many as announced are refused and not kept, and the right ones come after them",
        arguments: [("ab", .badRequest), ("", .badRequest), ("abcd", .payloadTooLarge)] as [(String, ServiceError.Code)]
    )
    func announcedSize(text: String, code: ServiceError.Code) async throws {
        let token = try await fixture.token(on: service, size: 3)
        await expectFailure(code) { try await service.put(text, token) }
        #expect(fixture.staging.count == 0)
        #expect(fixture.blobs.count == 0)
        let record = try await service.put("abc", token)
        #expect(record.facts.size == 3)
    }

    @Test("a request that announces too much is refused before its body is read")
    func tooMuchAnnounced() async throws {
        let token = try await fixture.token(on: service, size: 3)
        await expectFailure(.payloadTooLarge) {
            try await service.using(token) { upload in
                try await upload.receiveAll(announced: 4) { _ in
                    Issue.record("The body was read.")
                    return [:]
                }
            }
        }
    }

    @Test("bytes with another MD5 than the request says are refused and not kept")
    func md5() async throws {
        let token = try await fixture.token(on: service)
        let wrong = [UInt8](repeating: 0, count: 16)
        await expectFailure(.checksumMismatch) { try await service.put("abc", token, saying: [.md5: wrong]) }
        #expect(fixture.staging.count == 0)
        #expect(fixture.blobs.count == 0)
        let right = try #require([UInt8](hexadecimal: "900150983cd24fb0d6963f7d28e17f72"))
        let record = try await service.put("abc", token, saying: [.md5: right])
        #expect(record.facts.size == 3)
    }

    @Test("bytes with another MD5 than metaData says are refused and not kept")
    func checksum() async throws {
        let metaData = ["_checksum": JSONValue.string("9e107d9d372bb6826bd81d3542a419d6")]
        let token = try await fixture.token(on: service, metaData: metaData)
        await expectFailure(.checksumMismatch) { try await service.put("abc", token) }
        #expect(fixture.staging.count == 0)
        #expect(fixture.blobs.count == 0)
        #expect(fixture.store.count(of: .file) == 0)
    }

    @Test("of a body that breaks off nothing is kept")
    func broken() async throws {
        let token = try await fixture.token(on: service)
        await #expect(throws: Broken.self) { try await service.put("abc", token, breaking: true) }
        let progress = try await service.using(token) { $0.progress }
        #expect(progress.received == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("what came so far is told while the request lasts")
    func progress() async throws {
        let token = try await fixture.token(on: service, size: 4)
        let waiting = try await service.using(token) { $0.progress }
        let body = SlowBody("ab", "cd")
        let sending = Task { [service] in try await service.put(body, token) }
        await body.begun.wait()
        let receiving = try await service.using(token) { $0.progress }
        body.mayGoOn.open()
        _ = try await sending.value
        let finished = try await service.using(token) { $0.progress }
        #expect([waiting, receiving, finished].map(\.state) == ["waiting", "receiving", "finished"])
        #expect([waiting, receiving, finished].map(\.received) == [0, 2, 4])
        #expect([waiting, receiving, finished].map(\.percent) == [0, 50, 100])
    }

    @Test("a newer request stops the one before it and makes the file")
    func newer() async throws {
        let token = try await fixture.token(on: service)
        let body = SlowBody("older")
        let older = Task { [service] in try await service.put(body, token) }
        await body.begun.wait()
        let record = try await service.put("newer", token)
        await expectFailure(.superseded) { try await older.value }
        #expect(try await fixture.text(of: record.key) == "newer")
        #expect(fixture.staging.count == 0)
    }

    @Test("a cancelled upload is removed with its bytes")
    func givenUp() async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.send([(1, "abcd")], token)
        try await service.cancel(token)
        await expectFailure(.uploadNotFound) { try await service.put("abc", token) }
        #expect(try await service.knows(token) == false)
        #expect(fixture.store.count(of: .upload) == 0)
        #expect(fixture.store.count(of: .uploadPart) == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("cancelling stops a running request")
    func givenUpMeanwhile() async throws {
        let token = try await fixture.token(on: service)
        let body = SlowBody("abc")
        let sending = Task { [service] in try await service.put(body, token) }
        await body.begun.wait()
        try await service.cancel(token)
        await expectFailure(.superseded) { try await sending.value }
        #expect(fixture.staging.count == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("giving up after the end takes no file away")
    func givenUpLate() async throws {
        let token = try await fixture.token(on: service)
        let record = try await service.put("abc", token)
        try await service.cancel(token)
        #expect(try await fixture.text(of: record.key) == "abc")
        #expect(fixture.store.count(of: .file) == 1)
    }

    @Test("a token of no upload is told to be none")
    func unknown() async throws {
        await expectFailure(.uploadNotFound) { try await service.put("abc", UploadToken()) }
        #expect(try await service.knows(UploadToken()) == false)
    }
}
