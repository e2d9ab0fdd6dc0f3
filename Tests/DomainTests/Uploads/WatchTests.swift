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

    @Test("whoever watches is told how far it is, of what comes, and at last that the file is there")
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

    @Test("whoever watches is told of bytes while their request lasts")
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

    @Test("whoever watches is told when the upload is given up")
    func givenUp() async throws {
        let token = try await fixture.token(on: service)
        var events = try watch(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        try await service.giveUp(token)
        let last = await last(of: &events)
        #expect(last == .gone)
    }

    @Test("whoever watches is told when the upload's time is over")
    func expired() async throws {
        let token = try await fixture.token(on: service)
        var events = try watch(token).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        fixture.clock.pass(seconds: 3601)
        _ = try await service.sweep()
        let last = await last(of: &events)
        #expect(last == .gone)
    }

    @Test("whoever comes after the end is told of nothing else")
    func late() async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.put("abc", token)
        let end = try await service.using(token) { $0.progress }
        var told: [UploadService.WatchEvent] = []
        for await event in try watch(token) { told.append(event) }
        #expect(told == [.finished(end)])
    }

    @Test("nobody watches an upload that there is not")
    func unknown() async throws {
        let place = try service.beginWatching(ofGroup: .guests)
        await expectRefusal(.uploadNotFound) { try await service.watch(UploadToken(), from: place) { _ in } }
    }

    @Test("watching ends when nobody can be told any more")
    func unheard() async throws {
        let token = try await fixture.token(on: service)
        let place = try service.beginWatching(ofGroup: .guests)
        await #expect(throws: Broken.self) { try await service.watch(token, from: place) { _ in throw Broken() } }
    }

    @Test("whoever leaves its place is told nothing more, not even an end")
    func leave() async throws {
        let token = try await fixture.token(on: service)
        let place = try service.beginWatching(ofGroup: .guests)
        var events = try watch(token, from: place).makeAsyncIterator()
        _ = await progress(of: 0, in: &events)
        place.leave()
        let last = await last(of: &events)
        #expect(last == nil)
    }

    @Test("whoever left its place before it began to watch is told of no more than where it began")
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

    @Test("whoever begins to watch is told how far it is")
    func first() async {
        var changes = watchers.watch { now }.0.makeAsyncIterator()
        let told = await changes.next()
        #expect(told == now)
    }

    @Test("whoever is slow is told the newest, and nothing that is older")
    func slow() async {
        var changes = watchers.watch { now }.0.makeAsyncIterator()
        for received in 1...50 { watchers.tell { progress(Int64(received)) } }
        watchers.finish()
        let newest = await changes.next()
        let end = await changes.next()
        #expect(newest?.received == 50)
        #expect(end == nil)
    }

    @Test("everybody who watches is told")
    func several() async {
        var first = watchers.watch { now }.0.makeAsyncIterator()
        var second = watchers.watch { now }.0.makeAsyncIterator()
        watchers.tell { progress(7) }
        let one = await first.next()
        let other = await second.next()
        #expect(one?.received == 7)
        #expect(other?.received == 7)
    }

    @Test("an event of one's own is told to nobody else")
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

    @Test("where nobody watches nothing is made to be told")
    func nobody() {
        watchers.tell {
            Issue.record("Nobody asked.")
            return now
        }
    }

    @Test("whoever leaves is told nothing more")
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
