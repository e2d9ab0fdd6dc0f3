import NIOCore
import Support
import Testing

@testable import Domain

/// The end of an upload that several servers want to finish.
@Suite struct SharedFinishTests {
    private let fixture: SharedUploadFixture
    private let a: UploadService
    private let b: UploadService
    private let c: UploadService

    init() throws {
        fixture = try SharedUploadFixture()
        (a, b, c) = (fixture.server(1), fixture.server(2), fixture.server(3))
    }

    @Test("a server waits for another one that creates the file, and answers with it")
    func waits() async throws {
        let stalled = try await fixture.stall(on: a)
        fixture.time.whenWaiting { waits in
            if waits == 3 { stalled.gate.open() }
            // The renewals of a living server.
            if waits > 3 { _ = try? await stalled.task.value }
        }
        let record = try await b.finish(stalled.claims, stalled.token)
        #expect(try await stalled.task.value.id == record.id)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        #expect(fixture.blobs.count == 1)
        #expect(fixture.store.count(of: .file) == 1)
        fixture.expectNothingStaged()
    }

    @Test("a lease that is renewed is not taken over: the other server ends with 429 after a while")
    func renewed() async throws {
        let stalled = try await fixture.stall(on: a)
        let lease = try await fixture.lease(of: stalled.upload.id)
        fixture.time.whenWaiting { [a] _ in
            _ = try? await a.records.renew(FinishLease(id: lease.id, upload: stalled.upload.id, abandoned: 0))
        }
        await expectRefusal(.overloaded) { try await b.finish(stalled.claims, stalled.token) }
        stalled.gate.open()
        _ = try await stalled.task.value
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
    }

    @Test("a start and a sweep leave what another living server finishes or has just begun alone")
    func living() async throws {
        let stalled = try await fixture.stall(on: a)
        let (other, token) = try await fixture.begin(on: a)
        let tag = try await a.part(1, "begun", token).tag
        try await c.recover(fixture.quiet)
        try await fixture.sweep([b, c])
        stalled.gate.open()
        _ = try await stalled.task.value
        _ = try await a.finish([(1, tag)], token)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        #expect(try await fixture.text(of: other.key) == "begun")
        fixture.expectNothingStaged()
    }

    @Test("a part that arrives while another server creates the file is not recorded")
    func lateParts() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send([(1, "abc")], token)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [b] in try await b.part(2, "late", token, begun: begun, after: gate) }
        await begun.wait()
        fixture.staging.afterNotes { [fixture] _ in
            fixture.staging.afterNotes(nil)
            gate.open()
            await expectRefusal(.superseded) { try await late.value }
        }
        _ = try await a.finish(claims, token)
        #expect(try await fixture.text(of: upload.key) == "abc")
        try await fixture.sweep([a, b])
        fixture.expectNothingStaged()
    }

    @Test("the parts of an upload whose end was refused continue on another server")
    func refused() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let first = try await a.part(1, "abc", token).tag
        let second = try await b.part(2, "de", token).tag
        fixture.blobs.failPuts(StorageFault.full.error())
        // The staged bytes end behind the first part then; those that follow count again.
        await expectRefusal(.storageFull) { try await a.finish([(1, first), (2, second)], token) }
        fixture.blobs.failPuts(nil)
        let third = try await c.part(3, "f", token).tag
        _ = try await b.finish([(1, first), (2, second), (3, third)], token)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        fixture.expectNothingStaged()
    }

    @Test("the name of a put that failed is not used again", arguments: [true, false], [true, false])
    func failedPut(isLate: Bool, isUndone: Bool) async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send([(1, "abc")], token)
        fixture.blobs.failPuts(StorageFault.failing.error(), afterStoring: isLate)
        if !isUndone { fixture.blobs.failUndos(StorageFault.failing.error()) }
        await expectRefusal(.storageFailing) { try await a.finish(claims, token) }
        fixture.blobs.failPuts(nil)
        fixture.blobs.failUndos(nil)
        #expect(try await fixture.store.read { try $0.upload(upload.id)?.sharing?.abandoned } == 1)
        _ = try await b.finish(claims, token)
        try await fixture.sweep([a, b, c])
        // The store executes the undo of the first put late.
        let name = BlobName(upload.key)
        try await fixture.blobs.undo(try await MemoryStagingArea().stage(), as: name, of: upload.id)
        #expect(try await fixture.text(of: upload.key) == "abc")
        #expect(fixture.blobs.count == 1)
        fixture.expectNothingStaged()
    }

    @Test("the sweep of any server finishes what a dead one received")
    func sweepFinishes() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 3, tus: true)
        fixture.blobs.failPuts(StorageFault.full.error())
        await expectRefusal(.storageFull) { try await a.append("abc", at: 0, token) }
        fixture.blobs.failPuts(nil)
        fixture.staging.end(1)
        _ = try await b.sweep()
        #expect(try await fixture.text(of: upload.key) == "abc")
        fixture.expectNothingStaged()
    }

    @Test("one request with all bytes on each of two servers is one file")
    func wholes() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let (begun, gate) = (Gate(), Gate())
        fixture.staging.afterNotes { server in
            guard server == 1 else { return }
            begun.open()
            await gate.wait()
        }
        let first = Task { [a] in try await a.put("abc", token) }
        await begun.wait()
        fixture.time.whenWaiting { _ in
            gate.open()
            _ = try? await first.value
        }
        #expect(try await b.put("abc", token).id == first.value.id)
        await expectRefusal(.uploadConflict) { try await c.put("xyz", token) }
        #expect(try await fixture.text(of: upload.key) == "abc")
        fixture.expectNothingStaged()
    }

    @Test("pieces that were finished on several servers are one file", arguments: [true, false])
    func concatenation(waiting: Bool) async throws {
        var tokens: [UploadToken] = []
        let texts = ["abc", "de"]
        for (index, server) in [a, b].enumerated() {
            let (_, token) = try await fixture.begin(on: server, size: Int64(texts[index].utf8.count), kind: .partial)
            tokens.append(token)
            if index == 0 || !waiting { _ = try await server.append(texts[index], at: 0, token) }
        }
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        let (final, token) = try await c.concatenate(announcement, of: tokens, as: fixture.people.guest)
        #expect(final.isWaiting == waiting)
        if waiting {
            #expect(try await b.offset(token) == nil)
            #expect(try await a.append(texts[1], at: 0, tokens[1]) == 2)
        }
        #expect(try await a.offset(token) == 5)
        #expect(try await fixture.text(of: final.key) == "abcde")
        for piece in tokens { #expect(try await b.knows(piece) == false) }
        fixture.expectNothingStaged()
    }

    @Test("a start leaves a final upload that another server creates")
    func finalElsewhere() async throws {
        let (_, piece) = try await fixture.begin(on: a, size: 3, kind: .partial)
        _ = try await a.append("abc", at: 0, piece)
        // After the row is there, and before its lease is.
        fixture.store.beforeNextCommit { [c, fixture] in
            fixture.store.beforeNextCommit { try await c.recover(fixture.quiet) }
        }
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        var announcement = UploadAnnouncement(description, kind: .final("final;a"), size: nil)
        announcement.finishesOnLastByte = true
        let (final, _) = try await b.concatenate(announcement, of: [piece], as: fixture.people.guest)
        #expect(final.isFinished)
        #expect(try await fixture.text(of: final.key) == "abc")
        fixture.expectNothingStaged()
    }
}
