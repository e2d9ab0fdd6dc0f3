internal import Glibc
internal import Synchronization

/// Results on standard output.
///
/// The first write that fails is recorded: everything after it is lost, so the command stops and fails.
final class ResultOutput: Sendable {
    /// Standard output of the process.
    static let standard = ResultOutput(descriptor: STDOUT_FILENO)

    private struct State {
        var failure: UnwrittenOutput?
        var stops: [@Sendable () -> Void] = []
    }

    private let descriptor: CInt
    private let state = Mutex(State())

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// The failure of the first write that failed; `nil` as long as everything is written.
    var failure: UnwrittenOutput? { state.withLock { $0.failure } }

    /// Throws ``failure``, so that a loop over pages ends.
    func requireWritten() throws {
        if let failure { throw failure }
    }

    /// Calls a closure when a write fails; at once if one has failed.
    func whenFailing(_ stop: @escaping @Sendable () -> Void) {
        let hasFailed = state.withLock { state in
            if state.failure == nil { state.stops.append(stop) }
            return state.failure != nil
        }
        if hasFailed { stop() }
    }

    /// Writes a text; does nothing after a failure.
    func write(_ text: String) {
        guard failure == nil, let number = Terminal.write(text, to: descriptor) else { return }
        let stops = state.withLock { state in
            state.failure = state.failure ?? UnwrittenOutput(number: number)
            defer { state.stops = [] }
            return state.stops
        }
        for stop in stops { stop() }
    }
}

/// A write to standard output failed.
struct UnwrittenOutput: Error, CustomStringConvertible {
    /// The error number of the system.
    let number: CInt

    var description: String { "standard output cannot be written: \(String(cString: strerror(number)))" }
}
