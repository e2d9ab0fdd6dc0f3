import Support
import Synchronization
import Testing

@testable import Domain

/// No change is lost between the answer to a subscription and its first event.
@Suite struct LiveRecordingTests {
    /// Lets a task wait until another one opens it.
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }

        func pass() async throws {
            try await eventually { isOpen.withLock(\.self) }
        }
    }

    @Test("a change whose transaction runs when its class is first subscribed is committed before the answer")
    func runningTransaction() async throws {
        let fixture = try LiveFixture()
        let store = fixture.users.store
        try await fixture.create(#"{"a":1}"#)
        try await fixture.running {
            let (reached, gate, answers) = (Gate(), Gate(), Counter())
            store.beforeNextCommit {
                reached.open()
                try await gate.pass()
            }
            async let written = fixture.create(#"{"a":2}"#)
            try await reached.pass()
            /// Subscribes when there are other subscriptions; returns the number of objects after the answer.
            @Sendable func count(after others: Int, as id: String) async throws -> Int {
                try await eventually { fixture.live.status.subscriptions == others }
                try await fixture.subscribe(id: id)
                _ = answers.next()
                return store.count(of: fixture.task)
            }
            async let first = count(after: 0, as: "page")
            async let second = count(after: 1, as: "next")
            try await eventually { fixture.live.status.subscriptions == 2 }
            #expect(answers.value == 0)
            gate.open()
            _ = try await written
            let counts = try await [first, second]
            #expect(counts == [2, 2])
            let client = try fixture.connect()
            try await fixture.create(#"{"a":3}"#)
            await fixture.live.settle()
            #expect(client.lines == [#"create {"a":3}"#])
        }
    }

    @Test("a subscription to a class that is recorded does not wait for transactions that run")
    func recordedClass() async throws {
        let fixture = try LiveFixture()
        try await fixture.running {
            let client = try await fixture.client()
            let (reached, gate) = (Gate(), Gate())
            fixture.users.store.beforeNextCommit {
                reached.open()
                try await gate.pass()
            }
            async let written = fixture.create(#"{"a":1}"#)
            try await reached.pass()
            let late = try await fixture.client(#"{"a":1}"#)
            gate.open()
            _ = try await written
            await fixture.live.settle()
            #expect(client.lines == [#"create {"a":1}"#])
            #expect(late.lines == [#"create {"a":1}"#])
        }
    }
}
