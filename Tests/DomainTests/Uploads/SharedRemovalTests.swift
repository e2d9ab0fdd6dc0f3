import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Removals of an ended upload's bytes on one server, while another one begins the next upload with its id.
@Suite struct SharedRemovalTests {
    private let fixture: SharedUploadFixture
    private let b: UploadService

    init() throws {
        fixture = try SharedUploadFixture()
        b = fixture.server(2)
    }

    /// What removes the bytes.
    enum Removal: CaseIterable {
        case cancellation
        /// Of bytes that arrive late: before they are listed.
        case late
        /// Of bytes that arrive late: after they are listed, and after the upload is looked for.
        case lateAfterwards
        case start

        /// The read or write, counted from 0, after which the other upload begins.
        var call: Int {
            switch self {
            case .cancellation, .late: 0
            case .lateAfterwards, .start: 1
            }
        }
    }

    private struct NextUpload: Sendable {
        let token: UploadToken
        let tag: String
    }

    /// Announces an upload with the id of an ended one, and stores its bytes.
    private func beginNext(_ id: ObjectID) async throws -> NextUpload {
        var description = UploadDescription(name: try FileName("a.txt", limit: 255))
        description.systemFields = ["objectId": .string(id.description)]
        let announcement = UploadAnnouncement(description, size: nil)
        let (_, token) = try await b.announce(announcement, as: fixture.people.master)
        return NextUpload(token: token, tag: try await b.part(1, "next", token).tag)
    }

    @Test(
        "the removal of an ended upload's bytes leaves those of the next one with its id",
        arguments: Removal.allCases
    )
    func sameID(removal: Removal) async throws {
        let (upload, token) = try await fixture.begin(on: b)
        let next = Mutex<NextUpload?>(nil)
        let isArmed = Atomic(false)
        let calls = Counter()
        let begin: HookedStore.Hook = { [self] in
            guard isArmed.load(ordering: .relaxed), calls.next() == removal.call else { return }
            let begun = try await beginNext(upload.id)
            next.withLock { $0 = begun }
        }
        let none: HookedStore.Hook = {}
        let isWrite = removal == .cancellation
        let store = HookedStore(
            fixture.store,
            afterRead: isWrite ? none : begin,
            afterWrite: isWrite ? begin : none
        )
        let server = fixture.server(3, store: store)
        switch removal {
        case .cancellation:
            _ = try await server.part(1, "ended", token)
            isArmed.store(true, ordering: .relaxed)
            try await server.cancel(token)
        case .late, .lateAfterwards:
            let (begun, gate) = (Gate(), Gate())
            let late = Task { try await server.part(1, "ended", token, begun: begun, after: gate) }
            await begun.wait()
            try await b.cancel(token)
            isArmed.store(true, ordering: .relaxed)
            gate.open()
            await expectRefusal(.uploadNotFound) { try await late.value }
        case .start:
            try await b.cancel(token)
            let writer = try await fixture.staging.area(of: 1).stage(as: upload.id).write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "ended"))
            _ = try await writer.finish()
            isArmed.store(true, ordering: .relaxed)
            try await server.recover(fixture.quiet)
        }
        let begunNext = next.withLock(\.self)
        let found = try #require(begunNext)
        let record = try await b.finish([(1, found.tag)], found.token)
        #expect(try await fixture.text(of: record.key) == "next")
        fixture.expectNothingStaged()
    }
}
