package import Logging
internal import Synchronization

/// What the server knows of the state of its storage: where every layer reports the faults that it meets, and asks
/// whether it may add data.
///
/// May be used from any thread. Calls that may block say so.
package final class StorageHealth: Sendable {
    private struct State {
        /// As the last ``look()`` found it.
        var condition = StorageCondition()
        var isDamaged = false
        var failedAt: ContinuousClock.Instant?
        /// Details that the log has already.
        var logged: Set<String> = []
    }

    private let inspector: (any StorageInspector)?
    private let logger: Logger?
    private let onReport: @Sendable (StorageFault) -> Void
    /// Read by every write, so it is no part of the locked state.
    private let refusesGrowth = Atomic(false)
    private let state = Mutex(State())

    /// For how long one I/O error is shown: a disk that fails now and then must not make the state change all the time.
    private static let failureMemory = Duration.seconds(60)
    /// How many different details are logged; what comes after them is only counted.
    private static let loggedDetails = 1000

    /// - Parameters:
    ///   - inspector: Looks at the file system; `nil` means that only reports count, and nothing is ever refused.
    ///   - logger: Takes a line for each change and each new detail.
    ///   - onReport: Called for each fault that a request met, from any thread.
    package init(
        inspector: (any StorageInspector)? = nil,
        logger: Logger? = nil,
        onReport: @escaping @Sendable (StorageFault) -> Void = { _ in }
    ) {
        self.inspector = inspector
        self.logger = logger
        self.onReport = onReport
    }

    /// Whether data is refused at the moment, because the storage is full.
    package var isFull: Bool { refusesGrowth.load(ordering: .relaxed) }

    /// What is wrong, the gravest first; empty if nothing is.
    ///
    /// Full and read-only come and go with ``look()``, so that one upload that did not fit changes nothing. An I/O
    /// error is shown for a minute, damage until the server ends.
    package var faults: [StorageFault] {
        state.withLock { state in
            var faults = state.condition.faults
            if state.isDamaged { faults.insert(.damaged) }
            if let failedAt = state.failedAt, failedAt.duration(to: .now) < StorageHealth.failureMemory {
                faults.insert(.failing)
            }
            return StorageFault.allCases.reversed().filter(faults.contains)
        }
    }

    /// Inspects the storage and remembers the result for ``faults``; blocks.
    ///
    /// Called every few seconds.
    @discardableResult
    package func look() -> StorageCondition {
        let condition = inspect(suspecting: nil)
        let before = state.withLock { state in
            defer { state.condition = condition }
            return state.condition.faults
        }
        for fault in StorageFault.allCases where condition.faults.contains(fault) != before.contains(fault) {
            if before.contains(fault) {
                logger?.notice("A fault of the storage is over", metadata: ["fault": "\(fault.rawValue)"])
            } else {
                logger?.error("\(fault.message)", metadata: ["fault": "\(fault.rawValue)"])
            }
        }
        return condition
    }

    /// Counts a fault that was met, and logs it once for each detail; never blocks.
    ///
    /// - Parameters:
    ///   - fault: What kind of fault.
    ///   - detail: What was met where, for the operator.
    package func report(_ fault: StorageFault, _ detail: String) {
        onReport(fault)
        let isNew = state.withLock { state in
            if fault == .damaged { state.isDamaged = true }
            if fault == .failing { state.failedAt = .now }
            guard state.logged.count < StorageHealth.loggedDetails else { return false }
            return state.logged.insert("\(fault.rawValue) \(detail)").inserted
        }
        // Full and read-only are states, which look() logs when they change.
        guard isNew, fault == .damaged || fault == .failing else { return }
        logger?.log(
            level: fault == .damaged ? .critical : .error,
            "\(fault.message)",
            metadata: ["fault": "\(fault.rawValue)", "detail": "\(detail)"]
        )
    }

    /// Runs a body and reports the storage fault that it throws; blocks in that case.
    package func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw reported(error)
        }
    }

    /// Reports the storage fault that an error tells of, inspects the storage, and returns the error for the client.
    ///
    /// Blocks. Other errors are returned as they are. The inspection may know better: SQLite reports a write to a
    /// read-only file system as an I/O error.
    package func reported(_ error: any Error) -> any Error {
        guard var fault = StorageFault(error), let error = error as? ServiceError else { return error }
        // The gate's own refusals tell nothing new.
        if error.cause is GrowthRefused { return error }
        let condition = inspect(suspecting: fault)
        if fault == .failing, let known = [.readOnly, .full].first(where: condition.faults.contains) { fault = known }
        report(fault, "\(error.cause ?? error)")
        return fault.error(cause: error.cause)
    }

    /// Refuses a request that would add data while the storage is full.
    ///
    /// Costs one load from memory while it is not; blocks while it is, for a look whether there is space again.
    ///
    /// - Parameter growth: What would be added.
    /// - Throws: ``ServiceError/Code/storageFull``.
    package func requireSpace(for growth: StorageGrowth = .data) throws {
        guard isFull else { return }
        let condition = inspect(suspecting: nil)
        guard condition.refusesGrowth, growth == .data || !condition.hasSpare else { return }
        throw StorageFault.full.error(cause: GrowthRefused())
    }

    private func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        guard let inspector else { return StorageCondition() }
        let condition = inspector.inspect(suspecting: suspicion)
        refusesGrowth.store(condition.refusesGrowth, ordering: .relaxed)
        return condition
    }
}

/// What a request would add to a storage that is full.
package enum StorageGrowth: Sendable {
    /// Objects, files, caches: always refused.
    case data
    /// A session, without which no user could log in to delete something, or a change that makes an object no larger:
    /// allowed while most of the reserve lasts.
    case small
}

/// The cause of a refusal by ``StorageHealth/requireSpace(for:)``.
private struct GrowthRefused: Error {}
