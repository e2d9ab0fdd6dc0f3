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

    private typealias Claims = [(number: Int, tag: String)]

    /// An upload whose file server 1 is creating: it has noted the commit, and has put no blob.
    private struct Stalled {
        let upload: StoredUpload
        let token: UploadToken
        let claims: Claims
        let task: Task<FileRecord, any Error>
        let gate: Gate
    }

    private func stall(_ texts: [String] = ["aaaa", "b"]) async throws -> Stalled {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send(texts.enumerated().map { ($0 + 1, $1) }, token)
        let (begun, gate) = (Gate(), Gate())
        fixture.staging.afterNotes { server in
            guard server == 1 else { return }
            begun.open()
            await gate.wait()
        }
        let task = Task { [a] in try await a.finish(claims, token) }
        await begun.wait()
        return Stalled(upload: upload, token: token, claims: claims, task: task, gate: gate)
    }

    private func sweepAll(_ servers: [UploadService]) async throws {
        for server in servers { _ = try await server.sweep() }
    }

    @Test("a server waits for another one that creates the file, and answers with it")
    func waits() async throws {
        let stalled = try await stall()
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
        let stalled = try await stall()
        let lease = try await lease(of: stalled.upload.id)
        fixture.time.whenWaiting { [a] _ in
            _ = try? await a.records.renew(FinishLease(id: lease.id, upload: stalled.upload.id, abandoned: 0))
        }
        await expectRefusal(.overloaded) { try await b.finish(stalled.claims, stalled.token) }
        stalled.gate.open()
        _ = try await stalled.task.value
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
    }

    private func lease(of id: ObjectID) async throws -> SharedUploadState.Lease {
        try #require(try await fixture.store.read { try $0.upload(id)?.sharing?.lease })
    }

    @Test("the clocks of servers can differ: only what the waiting one sees counts")
    func clocks() async throws {
        let stalled = try await stall()
        fixture.clock.pass(seconds: 3000)
        let lease = try await lease(of: stalled.upload.id)
        #expect(!b.leases.isDead(lease, of: stalled.upload.id))
        fixture.time.pass(LeaseTiming().patience - .seconds(1))
        #expect(!b.leases.isDead(lease, of: stalled.upload.id))
        // A server that starts now has not seen it for so long.
        #expect(!c.leases.isDead(lease, of: stalled.upload.id))
        fixture.time.pass(.seconds(1))
        #expect(b.leases.isDead(lease, of: stalled.upload.id))
        #expect(!c.leases.isDead(lease, of: stalled.upload.id))
        #expect(!b.leases.isDead(SharedUploadState.Lease(id: lease.id, renewals: 1), of: stalled.upload.id))
        stalled.gate.open()
        _ = try await stalled.task.value
    }

    @Test("a server takes over after the lease was not renewed, and the late one leaves its file alone")
    func takenOver() async throws {
        let stalled = try await stall()
        let record = try await b.finish(stalled.claims, stalled.token)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        // The first one continues, as after a pause: its blob is refused, and it removes none.
        stalled.gate.open()
        await #expect(throws: (any Error).self) { try await stalled.task.value }
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        #expect(try await c.finish(stalled.claims, stalled.token).id == record.id)
        try await sweepAll([a, b, c])
        fixture.expectNothingStaged()
        #expect(fixture.blobs.count == 1)
    }

    @Test("a server that lost its lease between its blob and its record removes its blob, not that of the other")
    func lostBeforeRecord() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send([(1, "abc")], token)
        fixture.staging.afterNotes { [fixture, b] server in
            guard server == 1 else { return }
            // The next commit is that of the record.
            fixture.store.beforeNextCommit {
                _ = try await b.finish(claims, token)
            }
        }
        await expectRefusal(.superseded) { try await a.finish(claims, token) }
        #expect(try await fixture.text(of: upload.key) == "abc")
        #expect(fixture.blobs.count == 1)
        #expect(fixture.store.count(of: .file) == 1)
        try await sweepAll([a, b, c])
        fixture.expectNothingStaged()
    }

    @Test(
        "what a dead server left of its commit is undone, and the next one creates the file",
        arguments: [true, false]
    )
    func dead(withBlob hasBlob: Bool) async throws {
        let stalled = try await stall()
        stalled.task.cancel()
        if hasBlob {
            // The blob is there, and the record is not.
            let staged = try await fixture.staging.area(of: 1).stage(as: stalled.upload.id)
            let facts = try await staged.finish(size: 5, needsMD5: false).blob
            try await fixture.blobs.put(staged, facts, as: stalled.upload.key, of: stalled.upload.id)
        }
        fixture.staging.end(1)
        // A start and a sweep of others leave it to the upload's end.
        try await c.recover(fixture.quiet)
        try await sweepAll([b, c])
        _ = try await b.finish(stalled.claims, stalled.token)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        try await sweepAll([c, b])
        fixture.expectNothingStaged()
        #expect(fixture.blobs.count == 1)
        stalled.gate.open()
        await #expect(throws: (any Error).self) { try await stalled.task.value }
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
    }

    @Test("a start and a sweep leave what another living server finishes or has just begun alone")
    func living() async throws {
        let stalled = try await stall()
        let (other, token) = try await fixture.begin(on: a)
        let tag = try await a.part(1, "begun", token).tag
        try await c.recover(fixture.quiet)
        try await sweepAll([b, c])
        stalled.gate.open()
        _ = try await stalled.task.value
        _ = try await a.finish([(1, tag)], token)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        #expect(try await fixture.text(of: other.key) == "begun")
        fixture.expectNothingStaged()
    }

    @Test("an old note of a dead server does not undo what a living one creates", arguments: [true, false])
    func oldNote(starting: Bool) async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send([(1, "abc")], token)
        let dead = try await fixture.staging.area(of: 9).stage(as: upload.id)
        try await dead.noteCommit(as: BlobName(upload.key), of: upload.id)
        fixture.staging.end(9)
        fixture.staging.afterNotes { [fixture, c] _ in
            // Between the blob and the record.
            fixture.store.beforeNextCommit {
                if starting { try await c.recover(fixture.quiet) } else { _ = try await c.sweep() }
            }
        }
        _ = try await a.finish(claims, token)
        #expect(try await fixture.text(of: upload.key) == "abc")
        fixture.staging.afterNotes(nil)
        try await sweepAll([a, b, c])
        #expect(try await fixture.text(of: upload.key) == "abc")
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
        try await sweepAll([a, b])
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

    @Test("the name of a put that could not be undone is not used again", arguments: [true, false])
    func undecided(isLate: Bool) async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send([(1, "abc")], token)
        fixture.blobs.failPuts(StorageFault.failing.error(), afterStoring: isLate)
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectRefusal(.storageFailing) { try await a.finish(claims, token) }
        fixture.blobs.failPuts(nil)
        fixture.blobs.failUndos(nil)
        #expect(try await fixture.store.read { try $0.upload(upload.id)?.sharing?.abandoned } == 1)
        _ = try await b.finish(claims, token)
        try await sweepAll([a, b, c])
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
