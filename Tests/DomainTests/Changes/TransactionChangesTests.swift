import Support
import Synchronization
import Testing

@testable import Domain

/// What a transaction records depends on what subscribers want: nothing else is read, made or kept.
@Suite struct TransactionChangesTests {
    private let feed = ChangeFeed()
    private let task: ClassName
    private let other: ClassName

    init() throws {
        task = try ClassName("Task")
        other = try ClassName("Other")
    }

    enum Want: Sendable {
        case nothing, anotherClass, anotherKind, noStates, before, after, bothOfAll
    }

    private func filters(_ want: Want) -> [ChangeFilter] {
        switch want {
        case .nothing: []
        case .anotherClass: [ChangeFilter(other, states: [.before, .after])]
        case .anotherKind: [ChangeFilter(task, [.created, .deleted], states: [.before, .after])]
        case .noStates: [ChangeFilter(task)]
        case .before: [ChangeFilter(task, states: .before)]
        case .after: [ChangeFilter(task, [.updated], states: .after), ChangeFilter(nil, [.created])]
        case .bothOfAll: [ChangeFilter(nil, states: .before), ChangeFilter(task, states: .after)]
        }
    }

    @Test(
        "an update is recorded with the states that are wanted, and these alone are made",
        arguments: [
            (.nothing, 0, 0, 0), (.anotherClass, 0, 0, 0), (.anotherKind, 0, 0, 0), (.noStates, 1, 0, 0),
            (.before, 1, 1, 0), (.after, 1, 0, 1), (.bothOfAll, 1, 1, 1),
        ] as [(Want, Int, Int, Int)]
    )
    func states(want: Want, changes: Int, before: Int, after: Int) throws {
        feed.subscribe(to: filters(want)) { _ in }
        let (befores, afters) = (Counter(), Counter())
        let now = Timestamp(milliseconds: 0)
        let id = try #require(ObjectID("a"))
        func state(_ counter: Counter) -> ObjectState {
            _ = counter.next()
            return ObjectState(StoredObject(id: id, createdAt: now, updatedAt: now, fields: [:]))
        }
        var transaction = feed.transaction()
        #expect(transaction.wantsBefore(.updated, in: task) == (before == 1))
        transaction.record(.updated, id, in: task, before: state(befores), after: state(afters))
        #expect(transaction.changes.count == changes)
        #expect([befores.value, afters.value] == [before, after])
    }

    @Test("changes that can concern callers are counted without a subscriber, those of an undone attempt are not")
    func callerChanges() throws {
        let id = try #require(ObjectID("a"))
        var transaction = feed.transaction()
        transaction.record(.created, id, in: task)
        #expect(transaction.callerChanges == 0)
        transaction.record(.updated, id, in: .role)
        let mark = transaction.mark
        transaction.record(.deleted, id, in: .session)
        transaction.record(.deleted, id, in: .user)
        #expect(transaction.callerChanges == 3)
        transaction.undo(to: mark)
        #expect(transaction.callerChanges == 1)
    }

    private func state(of size: Int) throws -> ObjectState {
        let (id, time) = (try #require(ObjectID("a")), Timestamp(milliseconds: 0))
        let body = [UInt8](repeating: UInt8(ascii: " "), count: size)
        return ObjectState(ObjectRow(id: id, createdAt: time, updatedAt: time, acl: nil, body: body))
    }

    @Test("states that find no room are not kept, and an undone attempt gives their room back")
    func room() throws {
        feed.limitStates(to: 100)
        feed.subscribe(to: [ChangeFilter(task, states: [.before, .after])]) { _ in }
        let id = try #require(ObjectID("a"))
        let (small, large) = (try state(of: 30), try state(of: 40))
        var transaction = feed.transaction()
        transaction.record(.created, id, in: task, after: large)
        let mark = transaction.mark
        transaction.record(.updated, id, in: task, before: large, after: small)
        transaction.record(.updated, id, in: task, before: small, after: small)
        #expect(transaction.changes.map(\.size) == [40, 0, 60])
        #expect(transaction.room(for: task) == 0)
        transaction.undo(to: mark)
        #expect(transaction.room(for: task) == 60)
        transaction.record(.deleted, id, in: task, before: large)
        #expect(transaction.changes.map(\.size) == [40, 40])
    }

    @Test("states of the app's classes leave each class of the server its room, also after an undone attempt")
    func serverRoom() throws {
        feed.limitStates(to: 100)
        feed.subscribe(to: [ChangeFilter(nil, states: .after)]) { _ in }
        let id = try #require(ObjectID("a"))
        let state = try state(of: 60)
        var transaction = feed.transaction()
        let mark = transaction.mark
        for _ in 0..<2 {
            for name in [task, other, .user, .user, .file] { transaction.record(.updated, id, in: name, after: state) }
            #expect(transaction.changes.map(\.size) == [60, 0, 60, 0, 60])
            transaction.undo(to: mark)
            #expect([task, .user, .file].allSatisfy { transaction.room(for: $0) == 100 })
        }
    }

    @Test("a subscriber to a class of the server misses nothing if the app's classes have no room")
    func serverSubscriber() throws {
        feed.limitStates(to: 10)
        let calls = ChangeCalls()
        for (name, className) in [("app", task), ("server", ClassName.file)] {
            feed.subscribe(to: [ChangeFilter(className, states: .after)]) { event in
                guard case .changes(let changes) = event else { return calls.note("\(name) missed") }
                calls.note("\(name) \(changes.count)")
            }
        }
        let (id, state) = (try #require(ObjectID("a")), try state(of: 10))
        var transaction = feed.transaction()
        for name in [task, task, .file] { transaction.record(.created, id, in: name, after: state) }
        feed.publish(transaction)
        #expect(calls.names == ["app missed", "server 1"])
    }

    @Test("a subscriber that uses a state without room misses the transaction; others get its changes")
    func missedStates() throws {
        feed.limitStates(to: 10)
        let calls = ChangeCalls()
        let filters = [
            "none": ChangeFilter(task), "after": ChangeFilter(task, states: .after),
            "other": ChangeFilter(other, states: .after), "deleted": ChangeFilter(task, [.deleted], states: .before),
        ]
        for (name, filter) in filters.sorted(by: { $0.key < $1.key }) {
            feed.subscribe(to: [filter]) { event in
                guard case .changes(let changes) = event else { return calls.note("\(name) missed") }
                calls.note("\(name) \(changes.count)")
            }
        }
        let id = try #require(ObjectID("a"))
        let (small, large) = (try state(of: 10), try state(of: 11))
        var transaction = feed.transaction()
        transaction.record(.updated, id, in: task, before: large, after: large)
        transaction.record(.created, id, in: other, after: small)
        feed.publish(transaction)
        #expect(calls.names == ["after missed", "none 1", "other 1"])
    }

    @Test("subscribers are called in the order in which they came")
    func order() throws {
        let calls = ChangeCalls()
        for name in ["first", "second", "third"] {
            feed.subscribe(to: [ChangeFilter(task)]) { _ in calls.note(name) }
        }
        var transaction = feed.transaction()
        transaction.record(.created, try #require(ObjectID("a")), in: task)
        feed.publish(transaction)
        #expect(calls.names == ["first", "second", "third"])
    }

    @Test("a filter that is added while a transaction runs leaves the other filters of that transaction alone")
    func addedFilter() throws {
        let calls = ChangeCalls()
        feed.subscribe(to: [ChangeFilter(nil)]) { _ in }
        let subscription = feed.subscribe { event in
            guard case .changes(let changes) = event else { return calls.note("missed") }
            for change in changes { calls.note("\(change.className)") }
        }
        _ = subscription.add(ChangeFilter(task))
        for _ in 0..<2 {
            var transaction = feed.transaction()
            for name in [task, other] { transaction.record(.created, try #require(ObjectID("a")), in: name) }
            _ = subscription.add(ChangeFilter(other))
            feed.publish(transaction)
        }
        #expect(calls.names == ["Task", "Task", "Other"])
    }

    @Test("a subscriber may subscribe and cancel others while it is called")
    func reentrance() throws {
        let calls = ChangeCalls()
        let second = feed.subscribe(to: [ChangeFilter(other)]) { _ in calls.note("other") }
        feed.subscribe(to: [ChangeFilter(task)]) { [feed, task] _ in
            second.cancel()
            feed.subscribe(to: [ChangeFilter(task)]) { _ in calls.note("new") }
        }
        for name in [task, other] {
            var transaction = feed.transaction()
            transaction.record(.created, try #require(ObjectID("a")), in: name)
            feed.publish(transaction)
        }
        #expect(calls.names == [])
    }
}

/// The names of subscribers in the order of their calls.
private final class ChangeCalls: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { state.withLock { $0 } }

    func note(_ name: String) {
        state.withLock { $0.append(name) }
    }
}
