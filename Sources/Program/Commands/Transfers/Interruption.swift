internal import Dispatch
internal import Glibc

/// Ctrl-C: the first stops a command cleanly, the second at once.
enum Interruption {
    /// Runs the body; SIGINT and SIGTERM cancel its task, and so does a failed write to standard output.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (registered, registration) = AsyncStream<Never>.makeStream()
        let task = Task {
            // Registration takes a moment: a signal after the first output of the body must not end the process.
            for await _ in registered {}
            return try await body()
        }
        let queue = DispatchQueue(label: "lcfile.signals")
        let sourcesToRegister = DispatchGroup()
        let sources = [SIGINT, SIGTERM].map { number in
            // Until the source is registered, the signal ends the process, and nothing has begun. If it were ignored, an
            // early Ctrl-C would be lost.
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if task.isCancelled { _exit(ExitStatus.interrupted) }
                task.cancel()
            }
            sourcesToRegister.enter()
            source.setRegistrationHandler { sourcesToRegister.leave() }
            source.resume()
            return source
        }
        sourcesToRegister.notify(queue: queue) { registration.finish() }
        ResultOutput.standard.whenFailing { task.cancel() }
        defer { for source in sources { source.cancel() } }
        return try await task.value
    }
}
