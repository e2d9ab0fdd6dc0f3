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
