import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads that end on one server while another one works on them, and their progress.
@Suite struct SharedEndTests {
    private let fixture: SharedUploadFixture
    private let a: UploadService
    private let b: UploadService

    init() throws {
        fixture = try SharedUploadFixture()
        (a, b) = (fixture.server(1), fixture.server(2))
    }

    enum Dialect: CaseIterable {
        case tus
        case part
        case block
        case whole
    }

    /// A request whose bytes arrive when the gate opens.
    private func send(_ dialect: Dialect, _ token: UploadToken, _ begun: Gate, _ gate: Gate) async throws {
        switch dialect {
        case .tus: _ = try await a.append("late", at: 0, token, begun: begun, after: gate)
        case .part: _ = try await a.part(1, "late", token, begun: begun, after: gate)
        case .block:
            try await a.using(token) { upload in
                _ = try await upload.beginBlock(size: 8) { sink in
                    begun.open()
                    await gate.wait()
                    try await sink.append(ByteBuffer(string: "late"))
                }
            }
        case .whole:
            try await a.using(token) { upload in
                _ = try await upload.receiveAll(announced: nil) { sink in
                    begun.open()
                    await gate.wait()
                    try await sink.append(ByteBuffer(string: "late"))
                    return [:]
                }
            }
        }
    }

    @Test(
        "bytes that arrive after another server has ended the upload are refused and removed",
        arguments: Dialect.allCases
    )
    func cancelled(dialect: Dialect) async throws {
        let (upload, token) = try await fixture.begin(on: b)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { try await send(dialect, token, begun, gate) }
        await begun.wait()
        try await b.cancel(token)
        gate.open()
        await expectRefusal(.uploadNotFound) { try await late.value }
        await expectRefusal(.uploadNotFound) { try await a.offset(token) }
        #expect(try await a.knows(token) == false)
        fixture.expectNothingStaged()
        #expect(try await fixture.text(of: upload.key) == nil)
        #expect(try await fixture.store.read { try $0.usage() } == Usage())
    }

    @Test("an upload stays while another server creates its file, and is cancelled if that fails")
    func cancelledInTheEnd() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let claims = try await a.send([(1, "abc")], token)
        let (begun, gate) = (Gate(), Gate())
        fixture.staging.afterNotes { _ in
            begun.open()
            await gate.wait()
        }
        let finishing = Task { [a] in try await a.finish(claims, token) }
        await begun.wait()
        fixture.time.whenWaiting { _ in
            gate.open()
            _ = try? await finishing.value
        }
        try await b.cancel(token)
        _ = try await finishing.value
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    @Test("bytes whose server died after the upload had ended are removed by the next start")
    func leftover() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        _ = try await a.part(1, "abc", token)
        try await b.cancel(token)
        let staged = try await fixture.staging.area(of: 1).stage(as: upload.id)
        let writer = staged.write(at: 0, order: 9, digesting: [])
        try await writer.append(ByteBuffer(string: "late"))
        _ = try await writer.finish()
        fixture.staging.end(1)
        try await fixture.server(3).recover(fixture.quiet)
        fixture.expectNothingStaged()
    }

    @Test("a request that began more than an hour ago does not keep an expired upload on another server")
    func expiry() async throws {
        let (_, token) = try await fixture.begin(on: a)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { [a] in try await a.part(1, "late", token, begun: begun, after: gate) }
        await begun.wait()
        fixture.clock.pass(seconds: a.limits.expireAfter + 1)
        #expect(try await b.sweep().uploads == 1)
        gate.open()
        await expectRefusal(.uploadNotFound) { try await late.value }
        fixture.expectNothingStaged()
    }

    @Test("a request keeps the upload for an hour, on every server")
    func openAttempt() async throws {
        var limits = UploadLimits(partSize: 1)
        limits.guestIdleTimeout = 60
        let (a, b) = (fixture.server(1, limits), fixture.server(2, limits))
        let (upload, token) = try await fixture.begin(on: a)
        let (begun, gate) = (Gate(), Gate())
        let late = Task { try await a.part(1, "late", token, begun: begun, after: gate) }
        await begun.wait()
        fixture.clock.pass(seconds: 1000)
        #expect(try await b.sweep() == Swept())
        gate.open()
        let tag = try await late.value.tag
        _ = try await b.finish([(1, tag)], token)
        #expect(try await fixture.text(of: upload.key) == "late")
    }

    @Test("changes of an upload and of its parts wake its watchers on other servers, and no others")
    func watchers() async throws {
        let (upload, token) = try await fixture.begin(on: a)
        let (other, _) = try await fixture.begin(on: a)
        let (own, others) = (Counter(), Counter())
        let end = b.followedUploads.watch(upload.id) { _ = own.next() }
        _ = b.followedUploads.watch(other.id) { _ = others.next() }
        _ = try await a.part(1, "abc", token)
        let count = own.value
        #expect(count > 0 && others.value == 0)
        end()
        _ = try await a.part(2, "d", token)
        #expect(own.value == count)
    }

    private typealias Events = AsyncStream<UploadService.ProgressEvent>

    private func events(_ token: UploadToken, on service: UploadService) throws -> Events {
        let slot = try service.beginProgressStream(ofGroup: .guests)
        let (events, told) = Events.makeStream()
        Task {
            defer { told.finish() }
            try? await service.streamProgress(token, in: slot) { event in _ = told.yield(event) }
        }
        return events
    }

    @concurrent private func next(_ received: Int64, in events: inout Events.Iterator) async -> UploadProgress? {
        while let event = await events.next() {
            if case .progress(let progress) = event, progress.received == received { return progress }
        }
        return nil
    }

    @concurrent private func last(of events: inout Events.Iterator) async -> UploadService.ProgressEvent? {
        var last: UploadService.ProgressEvent?
        while let event = await events.next() { last = event }
        return last
    }

    @Test("a progress stream that begins while its server stops ends after the current progress")
    func progressAfterTheEnd() async throws {
        let (_, token) = try await fixture.begin(on: a, size: 5, tus: true)
        _ = try await a.append("abc", at: 0, token)
        await b.endProgressStreams()
        var told: [UploadService.ProgressEvent] = []
        for await event in try events(token, on: b) { told.append(event) }
        let now = try await b.progress(token)
        #expect(now.received == 3)
        #expect(told == [.progress(now)])
    }

    @Test("a progress stream shows what another server records, and ends with the upload", arguments: [true, false])
    func progress(finishes: Bool) async throws {
        let (upload, token) = try await fixture.begin(on: a, size: 5, tus: true)
        var events = try events(token, on: b).makeAsyncIterator()
        #expect(await next(0, in: &events)?.state == "waiting")
        _ = try await a.append("abc", at: 0, token)
        #expect(await next(3, in: &events)?.percent == 60)
        if finishes {
            _ = try await a.append("de", at: 3, token)
        } else {
            try await a.cancel(token)
        }
        let last = await last(of: &events)
        switch last {
        case .finished(let progress): #expect(finishes && progress.received == 5 && progress.key == upload.key)
        case .ended: #expect(!finishes)
        default: Issue.record("\(String(describing: last))")
        }
    }

    @Test("the bytes of one request count until they are a file, or are dropped", arguments: [true, false])
    func progressOfWhole(isDropped: Bool) async throws {
        let (_, token) = try await fixture.begin(on: a, size: isDropped ? 5 : 3)
        let commits = Counter()
        try await a.using(token) { upload in
            let sending = Task {
                try await upload.receiveAll(announced: nil) { [fixture, a] sink in
                    try await sink.append(ByteBuffer(string: "abc"))
                    // The next commit is that of the lease, when all bytes have come.
                    fixture.store.beforeNextCommit {
                        _ = commits.next()
                        let received = try await a.using(token) { $0.progress.received }
                        #expect(received == 3)
                    }
                    return isDropped ? [.md5: [1]] : [:]
                }
            }
            if isDropped {
                await expectRefusal(.checksumMismatch) { try await sending.value }
            } else {
                _ = try await sending.value
            }
        }
        #expect(commits.value == 1)
        let received = try await a.using(token) { $0.progress.received }
        #expect(received == (isDropped ? 0 : 3))
    }

    @Test("the progress does not go back while the bytes of a request become a file")
    func progressAtTheEnd() async throws {
        let (body, ended) = (SlowBody("abc"), Gate())
        let isLookedAt = Atomic(false)
        // The upload ends after the rows are read.
        let store = HookedStore(
            fixture.store,
            afterRead: {
                guard isLookedAt.exchange(false, ordering: .relaxed) else { return }
                body.mayGoOn.open()
                await ended.wait()
            }
        )
        let server = fixture.server(3, store: store)
        let (_, token) = try await fixture.begin(on: server, size: 3)
        let sending = Task {
            defer { ended.open() }
            return try await server.put(body, token)
        }
        await body.begun.wait()
        let progress = try await server.using(token) { upload in
            isLookedAt.store(true, ordering: .relaxed)
            return try await server.recordedProgress(of: upload)
        }
        _ = try await sending.value
        #expect(progress?.received == 3)
    }

    @Test("a progress stream reads the rows when the feed missed changes")
    func missed() async throws {
        let (_, token) = try await fixture.begin(on: a, size: 5, tus: true)
        var events = try events(token, on: b).makeAsyncIterator()
        #expect(await next(0, in: &events) != nil)
        fixture.store.changes.publishMissed()
        _ = try await a.append("abc", at: 0, token)
        #expect(await next(3, in: &events) != nil)
        try await a.cancel(token)
        #expect(await last(of: &events) == .ended)
    }

    @Test("limits count the uploads and bytes of all servers")
    func limits() async throws {
        var limits = UploadLimits(partSize: 1)
        limits.openGuests = 2
        limits.quota = 6
        let (a, b) = (fixture.server(1, limits), fixture.server(2, limits))
        let (_, first) = try await fixture.begin(on: a)
        _ = try await fixture.begin(on: b)
        await expectRefusal(.tooManyUploads) { try await fixture.begin(on: a) }
        _ = try await a.part(1, "aaa", first)
        _ = try await b.part(2, "bbb", first)
        await expectRefusal(.quotaExceeded) { try await a.part(3, "c", first) }
        #expect(try await fixture.store.read { try $0.usage() } == Usage(announced: 6, uploads: 2))
        // A part that is sent again counts once.
        _ = try await a.part(1, "xx", first)
        #expect(try await fixture.store.read { try $0.usage() } == Usage(announced: 5, uploads: 2))
    }
}
