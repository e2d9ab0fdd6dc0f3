internal import FileClient

/// Runs the transfers of many files, some at the same time.
struct TransferRun: Sendable {
    /// The maximum number of transfers at the same time.
    let concurrency: Int

    /// Transfers the files in order and returns when all have ended.
    ///
    /// After an error that is about the server (``FileClientError/isAboutServer``) no further file begins.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - transfer: Transfers one file; throws only if the run must stop.
    ///   - finish: Called with each result, in the order in which transfers end, never at the same time.
    /// - Returns: The number of files that have begun.
    func run<File: Sendable, Result: Sendable>(
        _ files: [File],
        transfer: @escaping @Sendable (_ position: Int, _ file: File) async -> TransferEnd<Result>,
        finish: (_ position: Int, TransferEnd<Result>) -> Void
    ) async -> Int {
        await withTaskGroup(of: (Int, TransferEnd<Result>).self) { group in
            var next = 0
            var stops = false
            func begin() {
                guard next < files.count, !stops, !Task.isCancelled else { return }
                let position = next
                let file = files[position]
                group.addTask { (position, await transfer(position, file)) }
                next += 1
            }
            for _ in 0..<concurrency { begin() }
            while let (position, end) = await group.next() {
                if case .failed(let error) = end {
                    if let error = error as? FileClientError, error.isAboutServer { stops = true }
                }
                finish(position, end)
                begin()
            }
            return next
        }
    }
}

/// The end of one transfer.
enum TransferEnd<Result: Sendable>: Sendable {
    /// It is complete.
    case done(Result)
    /// It failed.
    case failed(any Error)
    /// It was stopped by Ctrl-C.
    case interrupted

    /// The end of an asynchronous body.
    static func of(_ body: () async throws -> Result) async -> Self {
        do {
            return .done(try await body())
        } catch is CancellationError {
            return .interrupted
        } catch {
            return .failed(error)
        }
    }
}
