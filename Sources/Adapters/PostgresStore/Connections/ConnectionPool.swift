internal import Domain
internal import Synchronization

/// The open connections to one database.
///
/// A thread takes a connection for one body. There are never more connections than threads, so none waits for another.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var backoff = Backoff(first: .milliseconds(100), max: .seconds(5))
        /// The time before which no connection is attempted.
        var pausedUntil: ContinuousClock.Instant?
        var lastFailure: (any Error)?
        var isClosed = false
        /// Runs the first exchange of a connection.
        var begin: @Sendable (PostgresConnection) throws -> Void = { try $0.flush() }
        /// The time before which an outdated connection closes no idle ones.
        var sparesIdleUntil: ContinuousClock.Instant?
        /// The timeline of the newest connection.
        var timeline = 0

        /// Takes note of a new connection; returns idle ones of an earlier timeline, which are not used any more.
        mutating func enter(_ timeline: Int) -> [PostgresConnection] {
            guard timeline > self.timeline else { return [] }
            self.timeline = timeline
            defer { idle = [] }
            return idle
        }
    }

    let address: PostgresAddress
    /// The minimum time between two outdated connections that close the idle ones.
    private let replacementInterval: Duration
    private let state = Mutex(State())

    init(_ address: PostgresAddress, replacingIdleEvery replacementInterval: Duration = .seconds(5)) {
        self.address = address
        self.replacementInterval = replacementInterval
    }

    /// Lets a body run the first exchange of each later connection, as ``PostgresConnection/init(_:beginning:)`` does.
    func onConnect(_ begin: @escaping @Sendable (PostgresConnection) throws -> Void) {
        state.withLock { $0.begin = begin }
    }

    /// Runs a body with a connection that no other thread uses.
    ///
    /// A connection that was idle can have ended meanwhile: then the body runs once more, with a new one. The body leaves
    /// no open transaction behind, unless it throws.
    ///
    /// - Parameters:
    ///   - patience: How long the server can be silent (``PostgresConnection/patience``).
    ///   - body: The statements.
    /// - Returns: The result of the body.
    /// - Throws: Errors of the body, and of connecting.
    func withConnection<Result>(
        patience: Duration? = nil,
        _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        if let connection = state.withLock({ $0.idle.popLast() }) {
            do {
                return try run(body, with: connection, patience)
            } catch {
                let isLoss = (error as? PostgresError)?.isLoss == true
                // Those that are idle have probably ended, too.
                if isLoss || connection.isLost { closeIdle() }
                guard isLoss else { throw error }
            }
        }
        return try run(body, with: connect(), patience)
    }

    private func run<Result>(
        _ body: (PostgresConnection) throws -> Result,
        with connection: PostgresConnection,
        _ patience: Duration?
    ) throws -> Result {
        connection.patience = patience
        do {
            let result = try body(connection)
            giveBack(connection)
            return result
        } catch {
            if !connection.isLost {
                connection.forgetWaiting()
                // Without a transaction PostgreSQL would write a warning into its log.
                if !connection.isInTransaction || (try? connection.rollBack()) != nil { giveBack(connection) }
            }
            throw error
        }
    }

    /// Opens a connection, unless the last attempt failed a moment ago.
    func connect() throws -> PostgresConnection {
        let begin = try state.withLock { state in
            if state.isClosed { throw PostgresError.loss("the store is closed") }
            if let until = state.pausedUntil, ContinuousClock.now < until, let failure = state.lastFailure {
                throw failure
            }
            return state.begin
        }
        do {
            let connection = try PostgresConnection(address, beginning: begin)
            let ended = state.withLock { state in
                state.backoff.reset()
                state.pausedUntil = nil
                return state.enter(connection.timeline)
            }
            // Outside the lock, because it waits for the network.
            withExtendedLifetime(ended) {}
            return connection
        } catch {
            state.withLock { state in
                state.lastFailure = error
                state.pausedUntil = .now + state.backoff.next()
            }
            throw error
        }
    }

    private func giveBack(_ connection: PostgresConnection) {
        guard !connection.isOutdated else { return replaceIdle() }
        state.withLock { state in
            if !state.isClosed, !connection.isLost, connection.timeline == state.timeline {
                state.idle.append(connection)
            }
        }
    }

    /// Closes idle connections, and others when they come back.
    func close() {
        state.withLock { $0.isClosed = true }
        closeIdle()
    }

    /// Closes idle connections after one was outdated, because they probably are, too.
    ///
    /// While the database stays read-only, each refused change has an outdated connection, also a new one. Reads keep
    /// theirs then.
    private func replaceIdle() {
        let isDue = state.withLock { state in
            if let until = state.sparesIdleUntil, ContinuousClock.now < until { return false }
            state.sparesIdleUntil = .now + replacementInterval
            return true
        }
        if isDue { closeIdle() }
    }

    private func closeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        // Outside the lock, because it waits for the network.
        withExtendedLifetime(idle) {}
    }
}
