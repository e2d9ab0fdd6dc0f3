import Logging
import NIOCore
import Support
import Testing

@testable import Domain

/// What guests, users and the master key have of limits that they share.
@Suite struct UploadShareTests {
    private let fixture: UploadFixture
    private let limits = UploadLimits(open: 4, openGuests: 2, openUser: 3, guestIdleTimeout: 160)

    init() throws {
        fixture = try UploadFixture()
    }

    private func user(_ name: String) async throws -> Caller {
        try await fixture.people.caller(try await fixture.people.signUp(name).token)
    }

    @Test("guests leave room for users, users for each other, and all of them for the master key")
    func open() async throws {
        let service = fixture.service(limits)
        let (ann, bob) = (try await user("ann"), try await user("bob"))
        for _ in 0..<2 { _ = try await fixture.token(on: service) }
        await expectFailure(.tooManyUploads) { try await fixture.token(on: service) }
        for _ in 0..<3 { _ = try await fixture.token(on: service, as: ann) }
        await expectFailure(.tooManyUploads) { try await fixture.token(on: service, as: ann) }
        let token = try await fixture.token(on: service, as: bob)
        await expectFailure(.tooManyUploads) { try await fixture.token(on: service, as: bob) }
        for _ in 0..<10 { _ = try await fixture.token(on: service, as: fixture.people.master) }
        try await service.cancel(token)
        _ = try await fixture.token(on: service, as: bob)
    }

    @Test("guests at one address leave room for those at others, also after a restart and when uploads end")
    func addresses() async throws {
        let limits = UploadLimits(openGuests: 3, openAddress: 2)
        var service = fixture.service(limits)
        let (here, there) = (fixture.people.guest.at(address: "10.0.0.1"), fixture.people.guest.at(address: "10.0.0.2"))
        let mine = try await fixture.token(on: service, as: here)
        _ = try await fixture.token(on: service, as: here)
        for _ in 0..<2 {
            let error = await #expect(throws: ServiceError.self) { try await fixture.token(on: service, as: here) }
            #expect(error?.code == .tooManyUploads)
            #expect(error?.message.contains("uploads.maxOpenAddress") == true)
            service = fixture.service(limits)
            try await service.recover(Logger(label: "test"))
        }
        let theirs = try await fixture.token(on: service, as: there)
        let error = await #expect(throws: ServiceError.self) { try await fixture.token(on: service, as: there) }
        #expect(error?.message.contains("uploads.maxOpenGuests") == true)
        try await service.cancel(theirs)
        await expectFailure(.tooManyUploads) { try await fixture.token(on: service, as: here) }
        _ = try await service.put("abc", mine)
        _ = try await fixture.token(on: service, as: here)
    }

    @Test("every end gives room to whose upload it was")
    func ends() async throws {
        let service = fixture.service(UploadLimits(openGuests: 2, openUser: 1))
        let ann = try await user("ann")
        for _ in 0..<3 {
            let mine = try await fixture.token(on: service, as: ann)
            await expectFailure(.tooManyUploads) { try await fixture.token(on: service, as: ann) }
            _ = try await service.put("abc", mine)
            let pieces = [
                try await fixture.token(on: service, size: 1, kind: .partial),
                try await fixture.token(on: service, size: 0, kind: .partial),
            ]
            await expectFailure(.tooManyUploads) { try await fixture.token(on: service) }
            for piece in pieces { try await service.cancel(piece) }
        }
        #expect(fixture.store.count(of: .usage) == 1)
    }

    @Test("shares are counted anew at the start")
    func restart() async throws {
        let service = fixture.service(limits)
        let ann = try await user("ann")
        _ = try await fixture.token(on: service)
        let piece = try await fixture.token(on: service, size: 1, kind: .partial)
        _ = try await service.append("a", at: 0, piece)
        _ = try await fixture.token(on: service, as: ann)
        for _ in 0..<5 { _ = try await fixture.token(on: service, as: fixture.people.master) }
        // As a database of an earlier version has them.
        try await fixture.store.write { writer in
            for row in try writer.rows(ObjectQuery(.usage, page: .all)) where row.id != Usage.id {
                _ = try writer.delete(row.id, in: .usage)
            }
        }
        let next = fixture.service(limits)
        try await next.recover(Logger(label: "test"))
        await expectFailure(.tooManyUploads) { try await fixture.token(on: next) }
        for _ in 0..<2 { _ = try await fixture.token(on: next, as: ann) }
        await expectFailure(.tooManyUploads) { try await fixture.token(on: next, as: ann) }
    }

    @Test("a guest's upload ends when no byte came for a while, a user's does not")
    func idle() async throws {
        let service = fixture.service(UploadLimits(guestIdleTimeout: 160))
        let ann = try await user("ann")
        let guests = try await fixture.token(on: service)
        let users = try await fixture.token(on: service, as: ann)
        for token in [guests, users] { _ = try await service.append("a", at: 0, token) }
        fixture.clock.pass(seconds: 150)
        _ = try await service.append("b", at: 1, guests)
        fixture.clock.pass(seconds: 150)
        _ = try await service.sweep()
        #expect(try await service.knows(guests))
        fixture.clock.pass(seconds: 11)
        _ = try await service.sweep()
        #expect(try await service.knows(guests) == false)
        #expect(try await service.knows(users))
    }

    @Test("bytes put the end of a guest's upload off, but never behind its whole time")
    func deadline() async throws {
        let service = fixture.service(UploadLimits(startTimeout: 100, expireAfter: 200, guestIdleTimeout: 160))
        let token = try await fixture.token(on: service)
        _ = try await service.append("a", at: 0, token)
        fixture.clock.pass(seconds: 150)
        _ = try await service.append("b", at: 1, token)
        fixture.clock.pass(seconds: 51)
        #expect(try await service.knows(token) == false)
    }

    @Test("streams of guests' uploads leave room for those of users' and of the master key's")
    func watchers() async throws {
        let service = fixture.service(UploadLimits(watchers: 2, watchersGuests: 1))
        let ann = try await user("ann")
        let guests = try await fixture.token(on: service)
        let users = try await fixture.token(on: service, as: ann)
        let master = try await fixture.token(on: service, as: fixture.people.master)
        var slots = [try await service.beginProgressStream(guests)]
        await expectFailure(.overloaded) { try await service.beginProgressStream(guests) }
        for token in [users, users, master, master] { slots.append(try await service.beginProgressStream(token)) }
        await expectFailure(.overloaded) { try await service.beginProgressStream(users) }
        await expectFailure(.overloaded) { try await service.beginProgressStream(master) }
        slots[0].leave()
        slots.append(try await service.beginProgressStream(guests))
        await expectFailure(.uploadNotFound) { try await service.beginProgressStream(UploadToken()) }
        #expect(slots.count == 6)
    }

    @Test("streams of the uploads of one address are half of all guests' at most")
    func watchersOfAddress() async throws {
        let service = fixture.service(UploadLimits(watchers: 9, watchersGuests: 3))
        var tokens: [UploadToken] = []
        for address in ["10.0.0.1", "10.0.0.2"] {
            tokens.append(try await fixture.token(on: service, as: fixture.people.guest.at(address: address)))
        }
        var slots = [
            try await service.beginProgressStream(tokens[0]), try await service.beginProgressStream(tokens[0]),
        ]
        await expectFailure(.overloaded) { try await service.beginProgressStream(tokens[0]) }
        slots.append(try await service.beginProgressStream(tokens[1]))
        await expectFailure(.overloaded) { try await service.beginProgressStream(tokens[1]) }
        slots[0].leave()
        slots[0].leave()
        slots.append(try await service.beginProgressStream(tokens[1]))
        #expect(slots.count == 4)
    }

    @Test("guests have a fetcher of their own", arguments: CallerGroup.allCases)
    func fetchers(group: CallerGroup) {
        let fetchers = Fetchers(NamedFetcher(name: "others"), guests: NamedFetcher(name: "guests"))
        let named = fetchers.fetcher(for: group) as? NamedFetcher
        #expect(named?.name == (group == .guests ? "guests" : "others"))
    }
}

private struct NamedFetcher: Fetcher {
    let name: String

    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        FetchedHead(mediaType: nil)
    }
}
