package import Logging
internal import Synchronization

/// The state of the storage: every layer reports faults here, and checks here whether it can add data.
///
/// Thread-safe. Methods that can block say so.
package final class StorageHealth: Sendable {
    private struct State {
        /// The result of the last ``look()``.
        var condition = StorageCondition()
        var isDamaged = false
        var failedAt: ContinuousClock.Instant?
        /// What requests found displaced since the last ``look()``; it can be back before the next one.
        var met: Set<StorageDisplacement> = []
        /// What was displaced at the last ``look()`` or met before it: the log contains it.
        var named: Set<StorageDisplacement> = []
        /// Details that the log already contains.
        var logged: Set<String> = []
    }

    private let inspector: (any StorageInspector)?
    private let logger: Logger?
    private let onReport: @Sendable (StorageFault) -> Void
    /// Outside the lock, because every write reads it.
    private let refusesGrowth = Atomic(false)
    private let isDisplaced = Atomic(false)
    private let state = Mutex(State())

    /// How long one I/O error is shown, so that occasional errors do not make the state alternate.
    private static let failureMemory = Duration.seconds(60)
    /// The maximum number of different details that are logged; further ones are only counted.
    private static let loggedDetails = 1000

    /// - Parameters:
    ///   - inspector: Inspects the file system; `nil` means that only reports count and no data is refused.
    ///   - logger: Records each change and each new detail.
    ///   - onReport: Called for each fault that a request encountered, and each refusal of data because of one, from
    ///     any thread.
    package init(
        inspector: (any StorageInspector)? = nil,
        logger: Logger? = nil,
        onReport: @escaping @Sendable (StorageFault) -> Void = { _ in }
    ) {
        self.inspector = inspector
        self.logger = logger
        self.onReport = onReport
    }

    /// Whether new data is currently refused, because the storage is full.
    package var isFull: Bool { refusesGrowth.load(ordering: .relaxed) }

    /// The current faults, the most severe first.
    ///
    /// ``look()`` sets and clears `full` and `readOnly`, so that one upload without enough space changes nothing. An
    /// I/O error is shown for a minute, damage until the server ends.
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

    /// Inspects the storage and records the result for ``faults``; blocks.
    ///
    /// Called every few seconds.
    ///
    /// - Parameter displaced: What was removed or replaced, besides what the inspection finds.
    /// - Returns: The condition.
    @discardableResult
    package func look(displaced: [StorageDisplacement] = []) -> StorageCondition {
        var condition = inspect(suspecting: nil)
        condition.displaced += displaced
        if !condition.displaced.isEmpty { condition.faults.insert(.failing) }
        let (before, found, unnamed) = state.withLock { [condition] state in
            let before = state.condition
            let found = condition.displaced.filter { !before.displaced.contains($0) }
            let displaced = state.met.union(condition.displaced)
            let unnamed = displaced.subtracting(state.named)
            state.condition = condition
            state.met = []
            state.named = displaced
            if !found.isEmpty { state.failedAt = .now }
            return (before, found, unnamed)
        }
        for fault in StorageFault.allCases
        where condition.faults.contains(fault) != before.faults.contains(fault) {
            if before.faults.contains(fault) {
                logger?.notice("A fault of the storage is over", metadata: ["fault": "\(fault.rawValue)"])
            } else if fault != .failing || condition.displaced.isEmpty {
                logger?.error("\(fault.message)", metadata: ["fault": "\(fault.rawValue)"])
            }
        }
        for _ in found { onReport(.failing) }
        // Also a repeated one, and after the maximum number of details: only the log names the path.
        for displacement in unnamed { log(.failing, "\(displacement)") }
        return condition
    }

    /// Counts a fault, and logs it once for each detail; never blocks.
    ///
    /// - Parameters:
    ///   - fault: The kind of fault.
    ///   - detail: The fault and its location, for the operator.
    package func report(_ fault: StorageFault, _ detail: String) {
        onReport(fault)
        let isNew = state.withLock { state in
            if fault == .damaged { state.isDamaged = true }
            if fault == .failing { state.failedAt = .now }
            guard state.logged.count < StorageHealth.loggedDetails else { return false }
            return state.logged.insert("\(fault.rawValue) \(detail)").inserted
        }
        // Full and read-only are states; look() logs their changes.
        guard isNew, fault == .damaged || fault == .failing else { return }
        log(fault, detail)
    }

    private func log(_ fault: StorageFault, _ detail: String) {
        logger?.log(
            level: fault == .damaged ? .critical : .error,
            "\(fault.message)",
            metadata: ["fault": "\(fault.rawValue)", "detail": "\(detail)"]
        )
    }

    /// Counts a displacement that a request encountered; the next ``look()`` logs it, so that it is logged once.
    private func count(_ displacement: StorageDisplacement) {
        onReport(.failing)
        state.withLock { state in
            state.failedAt = .now
            state.met.insert(displacement)
        }
    }

    /// Runs a body and reports the storage fault that it throws; blocks if it throws.
    package func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw reported(error)
        }
    }

    /// Reports the storage fault of an error, inspects the storage, and returns the error for the client.
    ///
    /// Blocks. Other errors are returned unchanged. The inspection can correct the fault: SQLite reports a write to a
    /// read-only file system as an I/O error.
    package func reported(_ error: any Error) -> any Error {
        guard var fault = StorageFault(error), let error = error as? ServiceError else { return error }
        if error.cause is GrowthRefused {
            // requireSpace has already inspected the storage.
            onReport(fault)
            return error
        }
        if let displacement = error.cause as? StorageDisplacement {
            count(displacement)
            return error
        }
        let condition = inspect(suspecting: fault)
        if fault == .failing, let known = [.readOnly, .full].first(where: condition.faults.contains) { fault = known }
        report(fault, "\(error.cause ?? error)")
        return fault.error(cause: error.cause)
    }

    /// Refuses a change while the storage folder is not the one that the server locked.
    ///
    /// Costs one atomic load while it is; otherwise blocks to inspect it again.
    ///
    /// - Throws: ``StorageDisplacement/refusal``.
    package func requireFolder() throws {
        guard isDisplaced.load(ordering: .relaxed) else { return }
        if let displacement = inspect(suspecting: nil).displaced.first { throw displacement.refusal }
    }

    /// Refuses a request that would add data while the storage is full, or not the folder that the server locked.
    ///
    /// Costs two atomic loads while it is neither; otherwise blocks to inspect the storage again.
    ///
    /// - Parameter growth: The kind of data to add.
    /// - Throws: ``ServiceError/Code/storageFull``, ``StorageDisplacement/refusal``.
    package func requireSpace(for growth: StorageGrowth = .data) throws {
        try requireFolder()
        guard isFull else { return }
        let condition = inspect(suspecting: nil)
        guard condition.refusesGrowth, growth == .data || !condition.hasSpare else { return }
        throw StorageFault.full.error(cause: GrowthRefused())
    }

    private func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        guard let inspector else { return StorageCondition() }
        let condition = inspector.inspect(suspecting: suspicion)
        refusesGrowth.store(condition.refusesGrowth, ordering: .relaxed)
        isDisplaced.store(!condition.displaced.isEmpty, ordering: .relaxed)
        return condition
    }
}

/// The kind of data that a request adds to a full storage.
package enum StorageGrowth: Sendable {
    /// Objects, files, cache entries: always refused.
    case data
    /// A session, without which no user or owner could log in to delete data, or a change that does not enlarge an
    /// object: allowed while most of the reserve remains.
    case small

    /// The growth by a new object of a class; `nil` if a full storage must not refuse it, because it belongs to a
    /// deletion or replaces the damaged row of the usage.
    package init?(newObjectIn name: ClassName) {
        switch name {
        case .deletion, .trash, .goneKey, .peopleJob, .usage: return nil
        case .session, .consoleSession: self = .small
        default: self = .data
        }
    }
}

/// The cause of a refusal by ``StorageHealth/requireSpace(for:)``.
private struct GrowthRefused: Error {}
