internal import Synchronization

/// Runs work once for all callers that request its result at the same time.
///
/// Thread-safe.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let flights = Mutex<[Key: Flight]>([:])

    private struct Flight {
        let id: UInt64
        let task: Task<Value, any Error>
        var callers: Int
    }

    private let ids = Atomic<UInt64>(0)

    /// The result of the work, which is started unless it already runs for the key.
    ///
    /// - Parameters:
    ///   - key: The key of the work.
    ///   - isPersonal: Whether an error concerns only the caller whose work it was; the other callers then begin again.
    ///   - work: Runs in a separate task, which is cancelled when no caller waits for it.
    ///   - afterwards: Runs after the callers have the value; until it returns, new callers get the same value.
    /// - Returns: The value.
    /// - Throws: The errors of the work.
    func value(
        for key: Key,
        isPersonal: (any Error) -> Bool = { _ in false },
        work: @escaping @Sendable () async throws -> Value,
        afterwards: @escaping @Sendable (Value) async -> Void = { _ in }
    ) async throws -> Value {
        while true {
            let (flight, isOwn) = flight(for: key, work: work, afterwards: afterwards)
            do {
                return try await value(of: flight, key)
            } catch  where !isOwn && isPersonal(error) && !Task.isCancelled {
                continue
            }
        }
    }

    /// How many callers wait for values, for tests.
    var callerCount: Int { flights.withLock { $0.values.reduce(0) { $0 + $1.callers } } }

    /// The running work of a key, or the caller's own, which begins.
    private func flight(
        for key: Key,
        work: @escaping @Sendable () async throws -> Value,
        afterwards: @escaping @Sendable (Value) async -> Void
    ) -> (Flight, isOwn: Bool) {
        flights.withLock { flights in
            if flights[key] != nil, let flight = join(key, in: &flights) { return (flight, false) }
            let id = ids.add(1, ordering: .relaxed).newValue
            let task = Task {
                let result: Result<Value, any Error>
                do { result = .success(try await work()) } catch { result = .failure(error) }
                if case .success(let value) = result {
                    Task {
                        await afterwards(value)
                        self.remove(key, id)
                    }
                } else {
                    self.remove(key, id)
                }
                return try result.get()
            }
            let flight = Flight(id: id, task: task, callers: 1)
            flights[key] = flight
            return (flight, true)
        }
    }

    private func value(of flight: Flight, _ key: Key) async throws -> Value {
        try await withTaskCancellationHandler {
            try await flight.task.value
        } onCancel: {
            leave(key, flight.id)
        }
    }

    private func join(_ key: Key, in flights: inout [Key: Flight]) -> Flight? {
        guard !(flights[key]?.task.isCancelled ?? true) else { return nil }
        flights[key]?.callers += 1
        return flights[key]
    }

    private func leave(_ key: Key, _ id: UInt64) {
        flights.withLock { flights in
            guard flights[key]?.id == id else { return }
            flights[key]?.callers -= 1
            if flights[key]?.callers == 0 { flights[key]?.task.cancel() }
        }
    }

    private func remove(_ key: Key, _ id: UInt64) {
        flights.withLock { flights in
            if flights[key]?.id == id { flights[key] = nil }
        }
    }
}
