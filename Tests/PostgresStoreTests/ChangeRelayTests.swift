import Domain
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// What a server publishes from the log of changes.
@Suite struct ChangeRelayTests {
    /// The events of a feed, one word each: the id of a change, or `missed`.
    private final class Events: Sendable {
        private let words = Mutex<[String]>([])

        init(_ feed: ChangeFeed) {
            feed.subscribe(to: [ChangeFilter(nil)]) { [self] event in
                words.withLock { words in
                    switch event {
                    case .missed: words.append("missed")
                    case .changes(let changes): words += changes.map(\.id.description)
                    }
                }
            }
        }

        var all: [String] { words.withLock { $0 } }
    }

    /// Runs a body with tables whose log has one transaction of another server for each id.
    private func withLog(
        of ids: [String],
        _ body: (ChangeRelay, PostgresConnection, Events) throws -> Void
    ) async throws {
        try await Engine.withAddress { address in
            let connection = try PostgresConnection(address)
            try SchemaMigration.run(connection, schema: address.schema)
            for id in ids { try add(id, of: "other", connection) }
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own")
            relay.begin(after: 0)
            try body(relay, connection, Events(relay.feed))
        }
    }

    private func add(_ id: String, of server: String, _ connection: PostgresConnection) throws {
        let change = LoggedChange(className: .user, id: try #require(ObjectID(id)), kind: .created)
        try connection.run("UPDATE state SET last_change = last_change + 1")
        try connection.run(
            """
            INSERT INTO change_log (number, server, changes) \
            SELECT last_change, \(server), \(text: LoggedChange.encoded([change])) FROM state
            """
        )
    }

    @Test("each transaction of the log is published once, in the order of the numbers")
    func order() async throws {
        let ids = (0..<250).map { "object\($0)" }
        try await withLog(of: ids) { relay, connection, events in
            for _ in 0..<2 { try relay.relay(connection) }
            #expect(events.all == ids)
            #expect(relay.published == 250)
        }
    }

    @Test("transactions that the log does not have any more are missed, once, before those that it has")
    func removal() async throws {
        try await withLog(of: ["a", "b", "c", "d"]) { relay, connection, events in
            try connection.run("DELETE FROM change_log WHERE number < 3")
            try relay.relay(connection)
            #expect(events.all == ["missed", "c", "d"])
            try add("e", of: "other", connection)
            try connection.run("DELETE FROM change_log")
            for _ in 0..<2 { try relay.relay(connection) }
            #expect(events.all == ["missed", "c", "d", "missed"])
            #expect(relay.published == 5)
        }
    }

    @Test("an own transaction is published by the writer only, before later ones of other servers")
    func ownTransaction() async throws {
        try await withLog(of: ["a"]) { relay, connection, events in
            relay.beginCommit()
            try add("b", of: "own", connection)
            try add("c", of: "other", connection)
            try relay.relay(connection)
            #expect(events.all == ["a"])
            var changes = relay.feed.transaction()
            changes.record(.created, try #require(ObjectID("b")), in: .user)
            relay.publish(changes, as: 2)
            try relay.relay(connection)
            #expect(events.all == ["a", "b", "c"])
        }
    }

    @Test("an own transaction whose commit was given up is published from the log, if it is there")
    func givenUp() async throws {
        try await withLog(of: []) { relay, connection, events in
            relay.beginCommit()
            try add("a", of: "own", connection)
            relay.giveUp()
            try relay.relay(connection)
            #expect(events.all == ["a"])
        }
    }

    @Test("a transaction that was too large for the log is missed")
    func large() async throws {
        try await withLog(of: []) { relay, connection, events in
            try connection.run("UPDATE state SET last_change = 1")
            try connection.run("INSERT INTO change_log (number, server) VALUES (1, 'other')")
            try relay.relay(connection)
            #expect(events.all == ["missed"])
        }
    }
}
