internal import CPostgres
internal import Domain
internal import Glibc

extension PostgresConnection {
    /// How long the server can leave the cancellation of a statement without an effect.
    private static let cancelPatience = Duration.seconds(5)

    /// Waits until a result is there; cancels the statement once the budget is spent.
    ///
    /// After that it ends within ``cancelPatience``, also if the server is silent.
    ///
    /// - Throws: The loss of the connection; it counts as lost, too, if the server is silent for longer than ``patience``.
    func wait(within budget: QueryBudget?) throws {
        guard !isAbandoned else { throw loss() }
        // As for each of many rows that arrived together.
        guard PQisBusy(handle) == 1 else { return }
        var cancellation: CancelRequest?
        var end = patience.map { ContinuousClock.now + $0 }
        while PQisBusy(handle) == 1 {
            guard !isLost else { throw loss() }
            if cancellation == nil, budget?.isSpent == true || mustCancel?() == true {
                cancellation = CancelRequest.send(for: handle)
                guard cancellation != nil else { throw abandon("too many statements are being cancelled") }
                let limit = ContinuousClock.now + PostgresConnection.cancelPatience
                end = end.map { min($0, limit) } ?? limit
            }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, budget != nil ? 20 : end == nil && mustCancel == nil ? -1 : 100)
            if ready > 0, PQconsumeInput(handle) == 0 { throw loss() }
            if ready < 0, errno != EINTR { throw loss() }
            if ready > 0, cancellation == nil {
                end = patience.map { ContinuousClock.now + $0 }
            } else if let end, end < .now {
                throw abandon("the database does not answer")
            }
        }
        while let cancellation, !cancellation.isEnded {
            if let end, end < .now { throw abandon("the database does not answer") }
            usleep(1000)
        }
    }
}
