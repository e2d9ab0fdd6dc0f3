internal import Domain
internal import NIOPosix
internal import S3

/// The threads on which requests to the store and reads of the cache block.
struct S3Threads: Sendable {
    let pool: NIOThreadPool

    /// Runs a blocking body; an error of the store becomes one for the client.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive {
            do {
                return try body()
            } catch let error as S3Error {
                throw ServiceError(error)
            }
        }
    }

    /// Runs a blocking body for each element, a few at a time; the results come in order.
    ///
    /// - Throws: `CancellationError` in a cancelled task; other errors are results.
    func each<Element: Sendable, Output: Sendable>(
        _ elements: [Element],
        _ body: @escaping @Sendable (Element) throws -> Output
    ) async throws -> [Result<Output, any Error>] {
        try await withThrowingTaskGroup(of: (Int, Result<Output, any Error>).self) { group in
            var results: [Int: Result<Output, any Error>] = [:]
            for (index, element) in elements.enumerated() {
                if index >= S3Threads.parallel, let (done, result) = try await group.next() { results[done] = result }
                group.addTask {
                    do {
                        return (index, .success(try await run { try body(element) }))
                    } catch let error as CancellationError {
                        throw error
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for try await (done, result) in group { results[done] = result }
            return elements.indices.compactMap { results[$0] }
        }
    }

    /// The number of requests of one call that are sent at the same time.
    private static let parallel = 8
}

extension Result {
    /// The error of a failed result.
    var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
