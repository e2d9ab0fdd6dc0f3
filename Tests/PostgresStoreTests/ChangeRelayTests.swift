import Domain
import NIOPosix
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

    private func add(
        _ id: String,
        of server: String,
        _ connection: PostgresConnection,
        size: Int = 0
    ) throws {
        let id = try #require(ObjectID(id))
        let row = ObjectRow(
            id: id,
            createdAt: .now(),
            updatedAt: .now(),
            acl: nil,
            body: Array(#"{"s":"\#(String(repeating: "x", count: size))"}"#.utf8)
        )
        let change = LoggedChange(className: .user, id: id, kind: .created, after: size == 0 ? nil : row)
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

    @Test("few transactions with many bytes are read at a time")
    func size() async throws {
        try await withLog(of: []) { relay, connection, events in
            let ids = (0..<6).map { "object\($0)" }
            for id in ids { try add(id, of: "other", connection, size: 3 << 20) }
            let exchanges = connection.exchanges
            try relay.relay(connection)
            #expect(events.all == ids)
            // The second row of each exchange exceeds the size.
            #expect(connection.exchanges - exchanges == 3)
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
            relay.publish(changes, as: LogEntry(number: 2), in: 0)
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

    @Test("a transaction whose changes the log does not have is missed")
    func unlogged() async throws {
        try await withLog(of: []) { relay, connection, events in
            try connection.run("UPDATE state SET last_change = 1")
            try connection.run("INSERT INTO change_log (number, server) VALUES (1, 'other')")
            try relay.relay(connection)
            #expect(events.all == ["missed"])
        }
    }

    @Test("a database that hangs while one thread reads the log stops no other one, and nothing is published twice")
    func hangingQuery() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct)
            defer {
                proxy.freeze(false)
                proxy.close()
            }
            let connection = try PostgresConnection(direct)
            try SchemaMigration.run(connection, schema: direct.schema)
            for id in ["a", "b"] { try add(id, of: "other", connection) }
            // The query waits for as long as the proxy hangs.
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own", patience: .seconds(3600))
            relay.begin(after: 0)
            let (events, begun) = (Events(relay.feed), Counter())
            let slow = try PostgresConnection(address)
            let threads = NIOThreadPool(numberOfThreads: 2)
            threads.start()
            proxy.freeze()
            let hanging = Task {
                try await threads.runIfActive {
                    _ = begun.next()
                    try relay.relay(slow)
                }
            }
            try await eventually { begun.value == 1 }
            let other = Task { try await threads.runIfActive { try relay.relay(connection) } }
            try await eventually { events.all == ["a", "b"] && relay.published == 2 }
            try await other.value
            // Its answer has what the other thread has published.
            proxy.freeze(false)
            try await hanging.value
            #expect(events.all == ["a", "b"])
            try await threads.shutdownGracefully()
        }
    }

    @Test("while the log is read, a database that is silent counts as lost, also on a connection with another patience")
    func silence() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct)
            defer {
                proxy.freeze(false)
                proxy.close()
            }
            try SchemaMigration.run(try PostgresConnection(direct), schema: direct.schema)
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own", patience: .milliseconds(500))
            relay.begin(after: 0)
            let connection = try PostgresConnection(address)
            proxy.freeze()
            let failure = #expect(throws: PostgresError.self) { try relay.relay(connection) }
            #expect(failure?.isLoss == true)
            #expect(connection.isLost)
            #expect(connection.patience == nil)
        }
    }
}
