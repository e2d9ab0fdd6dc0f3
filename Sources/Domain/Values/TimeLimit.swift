/// A limit on the time of an asynchronous step.
enum TimeLimit {
    /// Runs a body and cancels it when the time is over; returns after the body has ended.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - what: The step, for the error's message.
    ///   - body: The step; it must end soon after its cancellation.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/timedOut`` when the time is over; errors of the body.
    static func run<Result: Sendable>(
        _ limit: Duration,
        _ what: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else {
                throw ServiceError(.timedOut, "\(what) takes longer than \(limit), the limit.")
            }
            return result
        }
    }
}
