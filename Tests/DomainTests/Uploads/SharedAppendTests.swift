import NIOCore
import Support
import Testing

@testable import Domain

/// Uploads of tus whose requests come to several servers.
@Suite struct SharedAppendTests {
    private let fixture: SharedUploadFixture
    private let a: UploadService
    private let b: UploadService

    init() throws {
        fixture = try SharedUploadFixture()
        a = fixture.server(1)
        b = fixture.server(2)
    }

    @Test("an offset that one server acknowledged is the offset on all, and any of them continues")
    func turns() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 6, tus: true)
        #expect(try await a.append("ab", at: 0, token) == 2)
        #expect(try await b.offset(token) == 2)
        #expect(try await b.append("cd", at: 2, token) == 4)
        #expect(try await a.offset(token) == 4)
        #expect(try await a.append("ef", at: 4, token) == 6)
        #expect(try await b.offset(token) == 6)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        fixture.expectNothingStaged()
    }

    @Test("an idle upload is not kept in memory")
    func idle() async throws {
        let (_, token) = try await fixture.begin(on: a, size: 6, tus: true)
        _ = try await a.append("ab", at: 0, token)
        #expect(a.active.all.isEmpty)
    }

    @Test("a request at another offset than the recorded one is refused")
    func conflict() async throws {
        let (_, token) = try await fixture.begin(on: a, tus: true)
        _ = try await a.append("ab", at: 0, token)
        await expectRefusal(.uploadConflict) { try await b.append("ab", at: 0, token) }
        await expectRefusal(.uploadConflict) { try await b.append("ab", at: 3, token) }
        #expect(try await a.offset(token) == 2)
    }

    @Test("bytes that a server alone staged and did not record are older than those of the next request")
    func begunAlone() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 3, tus: true)
        // As before the move to a shared store, and after a kill.
        try await a.records.change(upload.id, within: nil) { $0.sharing = nil }
        let staged = try await fixture.staging.area(of: 1).stage(as: upload.id)
        for _ in 1...3 {
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "old"))
            _ = try await writer.finish()
        }
        #expect(try await b.append("new", at: 0, token) == 3)
        #expect(try await fixture.text(of: upload.key) == "new")
    }

    @Test("a request that another server overtook records nothing, and its late bytes do not count")
    func overtaken() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 5, tus: true)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [a] in try await a.append("old", at: 0, token, begun: begun, after: gate) }
        await begun.wait()
        #expect(try await b.append("new", at: 0, token) == 3)
        gate.open()
        await expectRefusal(.superseded) { try await late.value }
        #expect(try await b.offset(token) == 3)
        #expect(try await a.append("er", at: 3, token) == 5)
        #expect(try await fixture.text(of: upload.key) == "newer")
        fixture.expectNothingStaged()
    }

    @Test("an offset that a server has told stays, although another one still receives bytes")
    func stopped() async throws {
        let (_, token) = try await fixture.begin(on: a, size: 9, tus: true)
        _ = try await a.append("ab", at: 0, token)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [a] in try await a.append("old", at: 2, token, begun: begun, after: gate) }
        await begun.wait()
        #expect(try await b.offset(token) == 2)
        gate.open()
        await expectRefusal(.superseded) { try await late.value }
        #expect(try await b.offset(token) == 2)
        #expect(try await b.append("new", at: 2, token) == 5)
    }

    @Test("a record that another server's commit overtakes in the middle is refused")
    func overtakenCommit() async throws {
        let (_, token) = try await fixture.begin(on: a, size: 9, tus: true)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [a] in try await a.append("old", at: 0, token, begun: begun, after: gate) }
        await begun.wait()
        fixture.store.beforeNextCommit { [b] in _ = try await b.append("new", at: 0, token) }
        gate.open()
        await expectRefusal(.superseded) { try await late.value }
        #expect(try await a.offset(token) == 3)
    }

    @Test("a request that begins while another server records is refused")
    func overtakenBeginning() async throws {
        let (_, token) = try await fixture.begin(on: a, size: 9, tus: true)
        _ = try await a.append("ab", at: 0, token)
        // After it has read the rows, and before its order is committed.
        fixture.store.beforeNextCommit { [b] in _ = try await b.append("new", at: 2, token) }
        try await a.using(token) { upload in
            await expectRefusal(.uploadConflict) {
                try await upload.append(at: 2, announced: nil, digesting: []) { sink in
                    try await sink.append(ByteBuffer(string: "old"))
                    return nil
                }
            }
            #expect(upload.storedOffset == 5)
        }
        #expect(try await a.offset(token) == 5)
    }

    @Test("bytes with a wrong checksum are not among those that another server recorded meanwhile")
    func checksum() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 3, tus: true)
        let wrong = AnnouncedDigest(kind: .sha1, bytes: [1])
        let (begun, gate) = (Gate(), Gate())
        fixture.staging.beforePuts { server in
            guard server == 1 else { return }
            begun.open()
            await gate.wait()
        }
        let late = Task { [a] in try await a.append("bad", at: 0, token, saying: wrong) }
        await begun.wait()
        // It waits with its bytes until the other server has put and recorded its own.
        fixture.staging.beforePuts(nil)
        #expect(try await b.append("new", at: 0, token) == 3)
        gate.open()
        await expectRefusal(.checksumMismatch) { try await late.value }
        #expect(try await fixture.text(of: upload.key) == "new")
    }

    @Test("a finished upload takes no bytes on another server, and its late bytes are removed")
    func finishedElsewhere() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 3, tus: true)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [a] in try await a.append("old", at: 0, token, begun: begun, after: gate) }
        await begun.wait()
        _ = try await b.append("new", at: 0, token)
        #expect(try await fixture.text(of: upload.key) == "new")
        gate.open()
        await expectRefusal(.superseded) { try await late.value }
        fixture.expectNothingStaged()
    }
}
