import NIOCore
import Support
import Testing

@testable import Domain

/// The end of an upload whose first server is late or dead.
@Suite struct SharedTakeoverTests {
    private let fixture: SharedUploadFixture
    private let a: UploadService
    private let b: UploadService
    private let c: UploadService

    init() throws {
        fixture = try SharedUploadFixture()
        (a, b, c) = (fixture.server(1), fixture.server(2), fixture.server(3))
    }

    @Test("the clocks of servers can differ: only what the waiting one sees counts")
    func clocks() async throws {
        let stalled = try await fixture.stall(on: a)
        fixture.clock.pass(seconds: 3000)
        let lease = try await fixture.lease(of: stalled.upload.id)
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
        let stalled = try await fixture.stall(on: a)
        let record = try await b.finish(stalled.claims, stalled.token)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        // The first one continues, as after a pause: its blob is refused, and it removes none.
        stalled.gate.open()
        await #expect(throws: (any Error).self) { try await stalled.task.value }
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        #expect(try await c.finish(stalled.claims, stalled.token).id == record.id)
        try await fixture.sweep([a, b, c])
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
        try await fixture.sweep([a, b, c])
        fixture.expectNothingStaged()
    }

    @Test(
        "what a dead server left of its commit is undone, and the next one creates the file",
        arguments: [true, false]
    )
    func dead(withBlob hasBlob: Bool) async throws {
        let stalled = try await fixture.stall(on: a)
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
        try await fixture.sweep([b, c])
        _ = try await b.finish(stalled.claims, stalled.token)
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
        try await fixture.sweep([c, b])
        fixture.expectNothingStaged()
        #expect(fixture.blobs.count == 1)
        stalled.gate.open()
        await #expect(throws: (any Error).self) { try await stalled.task.value }
        #expect(try await fixture.text(of: stalled.upload.key) == "aaaab")
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
        try await fixture.sweep([a, b, c])
        #expect(try await fixture.text(of: upload.key) == "abc")
        fixture.expectNothingStaged()
    }
}
