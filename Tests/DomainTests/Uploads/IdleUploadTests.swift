import Support
import Synchronization
import Testing

@testable import Domain

/// Which staged bytes stay open while no request uses their upload.
@Suite struct IdleUploadTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    /// Begins uploads with one byte each, one after the other.
    private func begin(_ count: Int) async throws -> [(id: String, token: UploadToken)] {
        var begun: [(id: String, token: UploadToken)] = []
        for _ in 0..<count {
            let (upload, token) = try await fixture.begin(on: service, size: 3)
            _ = try await service.append("a", at: 0, token)
            begun.append((upload.id.description, token))
        }
        return begun
    }

    /// Begins uploads with a part of a block each, which is not synced.
    private func beginBlocks(
        _ count: Int,
        metaData: [String: JSONValue] = [:]
    ) async throws -> [(id: String, token: UploadToken)] {
        var begun: [(id: String, token: UploadToken)] = []
        for _ in 0..<count {
            let (upload, token) = try await fixture.begin(on: service, metaData: metaData)
            _ = try await service.beginBlock(of: 4, "ab", token)
            begun.append((upload.id.description, token))
        }
        return begun
    }

    @Test("the bytes of the uploads that were used last stay open, those of earlier ones are closed")
    func last() async throws {
        let uploads = try await begin(UploadService.maxOpenIdle)
        #expect(fixture.staging.closed == [])
        // It is used last now.
        #expect(try await service.append("b", at: 1, uploads[0].token) == 2)
        _ = try await begin(2)
        #expect(fixture.staging.closed == [uploads[1].id, uploads[2].id])
        #expect(try await service.append("b", at: 1, uploads[1].token) == 2)
        #expect(fixture.staging.closed == [uploads[1].id, uploads[2].id, uploads[3].id])
    }

    @Test("the bytes of an upload are not closed while a request uses it")
    func inUse() async throws {
        let first = try await begin(1)[0]
        let others = try await service.using(first.token) { _ in try await begin(UploadService.maxOpenIdle + 1) }
        #expect(fixture.staging.closed == [others[0].id, others[1].id])
    }

    @Test("uploads whose bytes were never opened, or have ended, close none of others")
    func unopened() async throws {
        _ = try await begin(UploadService.maxOpenIdle)
        #expect(try await service.knows(try await fixture.token(on: service)))
        _ = try await service.put("abc", try await fixture.token(on: service))
        #expect(fixture.staging.closed == [])
    }

    @Test("bytes whose sync fails when they are closed are opened again by the next request")
    func failingSync() async throws {
        let uploads = try await beginBlocks(UploadService.maxOpenIdle)
        fixture.staging.failSync()
        _ = try await beginBlocks(1)
        #expect(fixture.staging.closed == [uploads[0].id])
        // A whole block is synced.
        #expect(try await service.beginBlock(of: 2, "cd", uploads[0].token).offset == 2)
    }

    @Test("bytes that lack no sync are closed first, whenever their upload was used")
    func syncedFirst() async throws {
        let blocks = try await beginBlocks(UploadService.maxOpenIdle - 1)
        let synced = try await begin(2)
        #expect(fixture.staging.closed == [synced[0].id])
        let further = try await beginBlocks(1)
        #expect(fixture.staging.closed == synced.map(\.id))
        // All lack one now.
        let last = try await beginBlocks(1)
        #expect(fixture.staging.closed == synced.map(\.id) + [blocks[0].id])
        #expect(try await service.beginBlock(of: 4, "ab", further[0].token).offset == 2)
        #expect(try await service.beginBlock(of: 4, "ab", last[0].token).offset == 2)
        #expect(fixture.staging.closed.count == 3)
    }

    @Test("of an upload with a large description the bytes stay as long as those of others, the description does not")
    func large() async throws {
        let text = JSONValue.string(String(repeating: "a", count: ActiveUploads.idleSize))
        let large = try await beginBlocks(1, metaData: ["text": text])[0]
        #expect(fixture.staging.closed == [])
        let uses = service.active.all
        #expect(uses.map { $0.with { $0.blob != nil } } == [true])
        // The description is read from the row; the progress of the block is in no row.
        try await service.using(large.token) { upload in
            #expect(upload.active.use === uses.first)
            #expect(upload.active.progress.received == 2)
        }
        _ = try await beginBlocks(UploadService.maxOpenIdle)
        #expect(fixture.staging.closed == [large.id])
        #expect(try await service.using(large.token, describing: .unused) { $0.stored.description.metaData } == [:])
    }

    @Test("a part that is sent again and again takes no further bytes, also with a large description")
    func repeated() async throws {
        let text = JSONValue.string(String(repeating: "a", count: ActiveUploads.idleSize))
        let (_, token) = try await fixture.begin(on: service, size: 4, metaData: ["text": text])
        var last = try await service.send([(1, "aaaa")], token)
        for round in 0..<20 { last = try await service.send([(1, "\(round + 10)bb")], token) }
        let extent = try await service.using(token) { try await $0.active.blob(in: fixture.staging).extent() }
        #expect(extent <= ContentHash.blockSize + 4)
        #expect(try await fixture.text(of: try await service.finish(last, token).key) == "29bb")
    }

    @Test("the rows of parts are read once, also with a large description")
    func readOnce() async throws {
        let reads = Mutex(0)
        let store = HookedStore(fixture.store, beforeRead: { reads.withLock { $0 += 1 } })
        let service = fixture.service(through: store)
        let text = JSONValue.string(String(repeating: "a", count: ActiveUploads.idleSize))
        let (_, token) = try await fixture.begin(on: service, metaData: ["text": text])
        _ = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        try await fixture.store.write { writer in
            _ = try writer.delete(try writer.rows(ObjectQuery(.uploadPart, page: .all)).map(\.id), in: .uploadPart)
        }
        let before = reads.withLock(\.self)
        #expect(try await service.progress(token).received == 8)
        #expect(reads.withLock(\.self) == before)
        try await service.using(token) { #expect($0.progress.received == 8) }
    }

    @Test("bytes that lack a sync are closed before their upload is forgotten, however many uploads follow")
    func forgotten() async throws {
        let first = try await beginBlocks(1)[0]
        for _ in 0...2 * ActiveUploads.idleCount {
            #expect(try await service.knows(try await fixture.token(on: service, as: fixture.people.master)))
        }
        #expect(service.active.all.count < 2 * ActiveUploads.idleCount)
        #expect(fixture.staging.closed == [])
        _ = try await beginBlocks(UploadService.maxOpenIdle)
        #expect(fixture.staging.closed == [first.id])
    }

    @Test("an upload with a large description goes on after a time in which its row could not be read")
    func unreadable() async throws {
        let fails = Mutex(false)
        let store = HookedStore(fixture.store, beforeRead: { if fails.withLock(\.self) { throw Unreadable() } })
        let service = fixture.service(through: store)
        let text = JSONValue.string(String(repeating: "a", count: ActiveUploads.idleSize))
        let (_, token) = try await fixture.begin(on: service, metaData: ["text": text])
        _ = try await service.beginBlock(of: 4, "ab", token)
        fails.withLock { $0 = true }
        await #expect(throws: Unreadable.self) { try await service.using(token) { _ in } }
        #expect(fixture.staging.closed == [])
        fails.withLock { $0 = false }
        #expect(try await service.using(token) { $0.progress.received } == 2)
    }

    private struct Unreadable: Error {}
}
