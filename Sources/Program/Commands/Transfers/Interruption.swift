internal import Dispatch
internal import Glibc

/// Ctrl-C: the first stops a command cleanly, the second at once.
enum Interruption {
    /// Runs the body; SIGINT and SIGTERM cancel its task.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let queue = DispatchQueue(label: "lcfile.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the process before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if task.isCancelled { _exit(ExitStatus.interrupted) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return try await task.value
    }
}
