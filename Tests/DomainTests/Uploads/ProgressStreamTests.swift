import Support
import Testing

@testable import Domain

@Suite struct UploadProgressTests {
    private typealias Events = AsyncStream<UploadService.ProgressEvent>

    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    /// The events of an upload; the stream ends with the progress stream.
    private func events(_ token: UploadToken, in slot: UploadService.ProgressSlot? = nil) throws -> Events {
        let slot = try slot ?? service.beginProgressStream(ofGroup: .guests)
        let (events, told) = Events.makeStream()
        Task { [service] in
            defer { told.finish() }
            do {
                try await service.streamProgress(token, in: slot) { event in _ = told.yield(event) }
            } catch {
                Issue.record(error)
            }
        }
        return events
    }

    /// Waits until so many bytes are told.
    @concurrent private func progress(of received: Int64, in events: inout Events.Iterator) async -> UploadProgress? {
        while let event = await events.next() {
            if case .progress(let progress) = event, progress.received == received { return progress }
        }
        return nil
    }

    /// Waits for the end; gives what was told last.
    @concurrent private func last(of events: inout Events.Iterator) async -> UploadService.ProgressEvent? {
        var last: UploadService.ProgressEvent?
        while let event = await events.next() { last = event }
        return last
    }

    @Test("a watcher gets the current progress, each change, and at last that the file exists")
    func life() async throws {
        let token = try await fixture.token(on: service, size: 5)
        var events = try events(token).makeAsyncIterator()
        let waiting = await progress(of: 0, in: &events)
        var claims = try await service.send([(1, "aaaa")], token)
        let receiving = await progress(of: 4, in: &events)
        claims += try await service.send([(2, "b")], token)
        _ = try await service.finish(claims, token)
        let finished = await last(of: &events)
        let end = try await service.using(token) { $0.progress }
        #expect(waiting?.state == "waiting")
        #expect(receiving?.state == "receiving")
        #expect(receiving?.percent == 80)
        #expect(end.state == "finished")
        #expect(finished == .finished(end))
    }

    @Test("a watcher gets the bytes of a running request")
    func request() async throws {
        let token = try await fixture.token(on: service, size: 4)
        var events = try events(token).makeAsyncIterator()
        let body = SlowBody("ab", "cd")
        let sending = Task { [service] in try await service.append(body, at: 0, token) }
        let receiving = await progress(of: 2, in: &events)
        body.mayGoOn.open()
        _ = try await sending.value
        #expect(receiving?.percent == 50)
    }

    @Test("a watcher gets the cancellation of the upload")
    func givenUp() async throws {
        let token = try await fixture.token(on: service)
        var events = try events(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        try await service.cancel(token)
        let last = await last(of: &events)
        #expect(last == .ended)
    }

    @Test("a watcher gets the expiry of the upload")
    func expired() async throws {
        let token = try await fixture.token(on: service)
        var events = try events(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        fixture.clock.pass(seconds: 3601)
        _ = try await service.sweep()
        let last = await last(of: &events)
        #expect(last == .ended)
    }

    @Test("a watcher after the end gets the end only")
    func late() async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.put("abc", token)
        let end = try await service.using(token) { $0.progress }
        var told: [UploadService.ProgressEvent] = []
        for await event in try events(token) { told.append(event) }
        #expect(told == [.finished(end)])
    }

    @Test("a watcher of an upload that ended before the stream began gets its end")
    func endedBefore() async throws {
        let token = try await fixture.token(on: service)
        let slot = try await service.beginProgressStream(token)
        try await service.cancel(token)
        var told: [UploadService.ProgressEvent] = []
        for await event in try events(token, in: slot) { told.append(event) }
        #expect(told == [.ended])
    }

    @Test("watching ends when the client has disconnected")
    func unheard() async throws {
        let token = try await fixture.token(on: service)
        let slot = try service.beginProgressStream(ofGroup: .guests)
        await #expect(throws: Broken.self) { try await service.streamProgress(token, in: slot) { _ in throw Broken() } }
    }

    @Test("a watcher that released its slot gets no further event, not even the end")
    func leave() async throws {
        let token = try await fixture.token(on: service)
        let slot = try service.beginProgressStream(ofGroup: .guests)
        var events = try events(token, in: slot).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        slot.leave()
        let last = await last(of: &events)
        #expect(last == nil)
    }

    @Test("a watcher that released its slot before it began gets the first event only")
    func leftBefore() async throws {
        let token = try await fixture.token(on: service)
        let slot = try service.beginProgressStream(ofGroup: .guests)
        slot.leave()
        var told: [UploadService.ProgressEvent] = []
        for await event in try events(token, in: slot) { told.append(event) }
        #expect(told.count <= 1)
    }

    @Test("a server that stops ends all streams without an end of their uploads")
    func endProgressStreams() async throws {
        let token = try await fixture.token(on: service)
        var events = try events(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        await service.endProgressStreams()
        let last = await last(of: &events)
        #expect(last == nil)
    }

    @Test("a stream that begins while the server stops ends after the current progress")
    func afterTheEnd() async throws {
        let token = try await fixture.token(on: service)
        let now = try await service.progress(token)
        await service.endProgressStreams()
        var told: [UploadService.ProgressEvent] = []
        for await event in try events(token) { told.append(event) }
        #expect(told == [.progress(now)])
    }

    @Test("no more streams are open than the limit allows, and a slot is released once, however often it is left")
    func slots() async throws {
        let service = fixture.service(UploadLimits(watchers: 2))
        var slots = [
            try service.beginProgressStream(ofGroup: .guests), try service.beginProgressStream(ofGroup: .guests),
        ]
        await expectFailure(.overloaded) { try service.beginProgressStream(ofGroup: .guests) }
        for _ in 0..<3 { slots[0].leave() }
        slots.append(try service.beginProgressStream(ofGroup: .guests))
        await expectFailure(.overloaded) { try service.beginProgressStream(ofGroup: .guests) }
        #expect(slots.count == 3)
    }
}

@Suite struct ProgressStreamTests {
    private let streams = ProgressStreams()
    private let now: UploadProgress

    init() throws {
        now = UploadProgress(
            id: ObjectIDGenerator().next(),
            key: try #require(FileKey("a.txt")),
            received: 0,
            size: 100,
            isStarted: false,
            isFinished: false,
            expiresAt: .now()
        )
    }

    private func progress(_ received: Int64) -> UploadProgress {
        var progress = now
        progress.received = received
        return progress
    }

    @Test("a new watcher gets the current progress")
    func first() async {
        var changes = streams.open { now }.0.makeAsyncIterator()
        let told = await changes.next()
        #expect(told == now)
    }

    @Test("a slow watcher gets the newest event, and none that is older")
    func slow() async {
        var changes = streams.open { now }.0.makeAsyncIterator()
        for received in 1...50 { streams.notify { progress(Int64(received)) } }
        streams.finish()
        let newest = await changes.next()
        let end = await changes.next()
        #expect(newest?.received == 50)
        #expect(end == nil)
    }

    @Test("all watchers get an event")
    func several() async {
        var first = streams.open { now }.0.makeAsyncIterator()
        var second = streams.open { now }.0.makeAsyncIterator()
        streams.notify { progress(7) }
        let one = await first.next()
        let other = await second.next()
        #expect(one?.received == 7)
        #expect(other?.received == 7)
    }

    @Test("an own event goes to its watcher only")
    func own() async {
        let (mine, own) = streams.open { now }
        var changes = mine.makeAsyncIterator()
        var others = streams.open { now }.0.makeAsyncIterator()
        own.yield(progress(7))
        streams.finish()
        let told = await changes.next()
        let other = await others.next()
        #expect(told?.received == 7)
        #expect(other?.received == 0)
    }

    @Test("without watchers no event is created")
    func nobody() {
        streams.notify {
            Issue.record("Nobody asked.")
            return now
        }
    }

    @Test("a watcher that left gets no further event")
    func left() async {
        let (changes, _) = streams.open { now }
        let watching = Task {
            for await _ in changes {}
        }
        watching.cancel()
        await watching.value
        streams.notify {
            Issue.record("Nobody asked.")
            return now
        }
    }
}
