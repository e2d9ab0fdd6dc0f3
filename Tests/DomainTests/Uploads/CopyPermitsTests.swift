import Support
import Testing

@testable import Domain

/// How many copies of staged bytes run at once.
@Suite struct CopyPermitsTests {
    private let permits = CopyPermits()
    private let guest: Caller
    private let master: Caller

    init() throws {
        let people = try SessionFixture()
        guest = people.guest
        master = people.master
    }

    @Test("a copy for a guest waits for that of another one", arguments: ["192.0.2.1", "192.0.2.2"])
    func guests(address: String) async throws {
        let (begun, mayEnd) = (Gate(), Gate())
        let first = Task { [permits, guest] in
            try await permits.copying(for: guest.at(address: "192.0.2.1")) {
                begun.open()
                await mayEnd.wait()
            }
        }
        await begun.wait()
        let second = Task { [permits, guest] in
            try await permits.copying(for: guest.at(address: address)) {}
        }
        try await eventually { permits.waitingCount == 1 }
        mayEnd.open()
        try await first.value
        try await second.value
        #expect(permits.waitingCount == 0)
    }

    @Test("a copy with the master key waits for no other")
    func masterKey() async throws {
        try await permits.copying(for: master) { [permits, master, guest] in
            try await permits.copying(for: master) { [permits, guest] in
                try await permits.copying(for: guest) {}
            }
        }
    }

    @Test("a copy does not wait until the one before it is stored")
    func storing() async throws {
        let (begun, mayEnd) = (Gate(), Gate())
        let first = Task { [permits, guest] in
            try await permits.holding(for: guest) {
            } storing: { _ in
                begun.open()
                await mayEnd.wait()
            }
        }
        await begun.wait()
        let done = Counter()
        let second = Task { [permits, guest] in
            try await permits.copying(for: guest) {}
            _ = done.next()
        }
        try await eventually { done.value == 1 || permits.waitingCount == 1 }
        #expect(done.value == 1)
        mayEnd.open()
        try await first.value
        try await second.value
    }

    @Test("a copy that does not wait is refused while another one runs, and is possible after it")
    func busy() async throws {
        try await permits.copying(for: guest) { [permits, guest] in
            await expectFailure(.overloaded) { try await permits.copying(for: guest, waiting: false) {} }
        }
        try await permits.copying(for: guest, waiting: false) {}
    }
}

extension CopyPermits {
    /// Runs a body that copies, without a copy to store.
    func copying(
        for caller: Caller,
        waiting waits: Bool = true,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await holding(for: caller, waiting: waits, copying: body) { _ in }
    }
}
