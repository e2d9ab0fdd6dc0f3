import Support
import Testing

@testable import Domain

@Suite struct WatchTests {
    private typealias Events = AsyncStream<UploadService.WatchEvent>

    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    /// Begins to watch; the stream ends with the watching.
    private func watch(_ token: UploadToken, from place: UploadService.WatchPlace? = nil) throws -> Events {
        let place = try place ?? service.beginWatching(ofGroup: .guests)
        let (events, told) = Events.makeStream()
        Task { [service] in
            defer { told.finish() }
            do {
                try await service.watch(token, from: place) { event in _ = told.yield(event) }
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
    @concurrent private func last(of events: inout Events.Iterator) async -> UploadService.WatchEvent? {
        var last: UploadService.WatchEvent?
        while let event = await events.next() { last = event }
        return last
    }

    @Test("a watcher gets the current progress, each change, and at last that the file exists")
    func life() async throws {
        let token = try await fixture.token(on: service, size: 5)
        var events = try watch(token).makeAsyncIterator()
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
        var events = try watch(token).makeAsyncIterator()
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
        var events = try watch(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        try await service.giveUp(token)
        let last = await last(of: &events)
        #expect(last == .gone)
    }

    @Test("a watcher gets the expiry of the upload")
    func expired() async throws {
        let token = try await fixture.token(on: service)
        var events = try watch(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        fixture.clock.pass(seconds: 3601)
        _ = try await service.sweep()
        let last = await last(of: &events)
        #expect(last == .gone)
    }

    @Test("a watcher after the end gets the end only")
    func late() async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.put("abc", token)
        let end = try await service.using(token) { $0.progress }
        var told: [UploadService.WatchEvent] = []
        for await event in try watch(token) { told.append(event) }
        #expect(told == [.finished(end)])
    }

    @Test("an upload that does not exist cannot be watched")
    func unknown() async throws {
        let place = try service.beginWatching(ofGroup: .guests)
        await expectRefusal(.uploadNotFound) { try await service.watch(UploadToken(), from: place) { _ in } }
    }

    @Test("watching ends when the client has disconnected")
    func unheard() async throws {
        let token = try await fixture.token(on: service)
        let place = try service.beginWatching(ofGroup: .guests)
        await #expect(throws: Broken.self) { try await service.watch(token, from: place) { _ in throw Broken() } }
    }

    @Test("a watcher that released its slot gets no further event, not even the end")
    func leave() async throws {
        let token = try await fixture.token(on: service)
        let place = try service.beginWatching(ofGroup: .guests)
        var events = try watch(token, from: place).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        place.leave()
        let last = await last(of: &events)
        #expect(last == nil)
    }

    @Test("a watcher that released its slot before it began gets the first event only")
    func leftBefore() async throws {
        let token = try await fixture.token(on: service)
        let place = try service.beginWatching(ofGroup: .guests)
        place.leave()
        var told: [UploadService.WatchEvent] = []
        for await event in try watch(token, from: place) { told.append(event) }
        #expect(told.count <= 1)
    }

    @Test("a server that stops ends all streams without an end of their uploads")
    func endWatching() async throws {
        let token = try await fixture.token(on: service)
        var events = try watch(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        await service.endWatching()
        let last = await last(of: &events)
        #expect(last == nil)
    }

    @Test("no more watch at a time than may, and a place is free once, however often it is left")
    func places() async throws {
        let service = fixture.service(UploadLimits(watchers: 2))
        var places = [try service.beginWatching(ofGroup: .guests), try service.beginWatching(ofGroup: .guests)]
        await expectRefusal(.overloaded) { try service.beginWatching(ofGroup: .guests) }
        for _ in 0..<3 { places[0].leave() }
        places.append(try service.beginWatching(ofGroup: .guests))
        await expectRefusal(.overloaded) { try service.beginWatching(ofGroup: .guests) }
        #expect(places.count == 3)
    }
}

@Suite struct UploadWatchersTests {
    private let watchers = UploadWatchers()
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
        var changes = watchers.watch { now }.0.makeAsyncIterator()
        let told = await changes.next()
        #expect(told == now)
    }

    @Test("a slow watcher gets the newest event, and none that is older")
    func slow() async {
        var changes = watchers.watch { now }.0.makeAsyncIterator()
        for received in 1...50 { watchers.tell { progress(Int64(received)) } }
        watchers.finish()
        let newest = await changes.next()
        let end = await changes.next()
        #expect(newest?.received == 50)
        #expect(end == nil)
    }

    @Test("all watchers get an event")
    func several() async {
        var first = watchers.watch { now }.0.makeAsyncIterator()
        var second = watchers.watch { now }.0.makeAsyncIterator()
        watchers.tell { progress(7) }
        let one = await first.next()
        let other = await second.next()
        #expect(one?.received == 7)
        #expect(other?.received == 7)
    }

    @Test("an own event goes to its watcher only")
    func own() async {
        let (mine, own) = watchers.watch { now }
        var changes = mine.makeAsyncIterator()
        var others = watchers.watch { now }.0.makeAsyncIterator()
        own.yield(progress(7))
        watchers.finish()
        let told = await changes.next()
        let other = await others.next()
        #expect(told?.received == 7)
        #expect(other?.received == 0)
    }

    @Test("without watchers no event is created")
    func nobody() {
        watchers.tell {
            Issue.record("Nobody asked.")
            return now
        }
    }

    @Test("a watcher that left gets no further event")
    func left() async {
        let (changes, _) = watchers.watch { now }
        let watching = Task {
            for await _ in changes {}
        }
        watching.cancel()
        await watching.value
        watchers.tell {
            Issue.record("Nobody asked.")
            return now
        }
    }
}
