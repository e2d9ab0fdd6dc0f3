import NIOCore
import Support
import Testing

@testable import Domain

/// Uploads of one request on several servers, of which only one sees the bytes arrive.
@Suite struct SharedSingleRequestTests {
    private let fixture: SharedUploadFixture
    private let a: UploadService
    private let b: UploadService

    init() throws {
        fixture = try SharedUploadFixture()
        (a, b) = (fixture.server(1), fixture.server(2))
    }

    @Test("one request with all bytes keeps an upload that has not begun, on every server")
    func wholeRequest() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [a] in try await a.put("late", token, begun: begun, after: gate) }
        await begun.wait()
        fixture.clock.pass(seconds: a.limits.startTimeout + 1)
        #expect(try await b.sweep() == Swept())
        gate.open()
        _ = try await late.value
        #expect(try await fixture.text(of: upload.key) == "late")
    }

    @Test("one request with all bytes that takes long postpones the expiry of the upload")
    func longRequest() async throws {
        var timing = fixture.time.timing
        let (turns, hour) = (Counter(), Gate())
        timing.pause = { _ in
            guard turns.next() == 0 else { return try await Task.sleep(for: .seconds(86_400)) }
            await hour.wait()
        }
        let a = fixture.server(1, timing: timing)
        let (upload, token) = try await fixture.begin(on: a)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { try await a.put("late", token, begun: begun, after: gate) }
        await begun.wait()
        fixture.clock.pass(seconds: a.limits.startTimeout)
        hour.open()
        try await eventually { turns.value == 2 }
        fixture.clock.pass(seconds: 2 * a.limits.startTimeout - 1)
        #expect(try await b.sweep() == Swept())
        gate.open()
        _ = try await late.value
        #expect(try await fixture.text(of: upload.key) == "late")
    }

    @Test("one request with all bytes that is refused leaves the upload as it was, and it expires soon")
    func refusedRequest() async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 3)
        await expectRefusal(.checksumMismatch) { try await a.put("abc", token, saying: [.md5: [1]]) }
        await expectRefusal(.badRequest) { try await a.put("ab", token) }
        #expect(try await fixture.store.read { try $0.upload(upload.id)?.isStarted } == false)
        fixture.clock.pass(seconds: 2 * a.limits.startTimeout + 1)
        #expect(try await b.sweep().uploads == 1)
        fixture.expectNothingStaged()
    }
}

extension UploadService {
    /// Sends all bytes in one request, when a gate opens.
    fileprivate func put(
        _ text: String,
        _ token: UploadToken,
        begun: Gate,
        after gate: Gate
    ) async throws -> FileRecord {
        try await using(token) { upload in
            try await upload.receiveAll(announced: nil) { sink in
                begun.open()
                await gate.wait()
                try await sink.append(ByteBuffer(string: text))
                return [:]
            }
        }
    }
}
