internal import CoreMetrics
internal import Dispatch
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// Writes log lines from a bounded buffer on a thread of its own, so that no request waits for the log.
///
/// The thread writes when ``portion`` bytes wait, when a line has waited for a second, and at once after ``hurry()``.
/// A line for which the buffer has no space is dropped; the log and the metrics say how many were. A process that is
/// killed loses the lines of its last second. Thread-safe.
final class LogWriter: TextOutputStream, Sendable {
    /// The number of waiting bytes at which the thread writes without a further wait.
    static let portion = 64 << 10

    private struct State {
        var lines: [UInt8] = []
        var dropped = 0
        /// Whether the thread writes without a further wait.
        var isUrgent = false
        var isClosed = false
    }

    private let bound: Int
    private let descriptor: CInt
    private let delay: DispatchTimeInterval
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Creates a writer whose lines wait until ``whileRunning(_:)``.
    ///
    /// - Parameters:
    ///   - bound: The maximum number of bytes that wait.
    ///   - descriptor: Where the lines go; it must stay open.
    ///   - delay: How long a line waits for others.
    init(bound: Int, descriptor: CInt = STDERR_FILENO, delay: DispatchTimeInterval = .seconds(1)) {
        self.bound = bound
        self.delay = delay
        self.descriptor = descriptor
    }

    /// Adds a line; never blocks.
    func write(_ line: String) {
        let wakes = state.withLock { state in
            guard state.lines.count + line.utf8.count <= bound else {
                state.dropped += 1
                return state.lines.isEmpty
            }
            let before = state.lines.count
            state.lines.append(contentsOf: line.utf8)
            return before == 0 || (before < LogWriter.portion && state.lines.count >= LogWriter.portion)
        }
        if wakes { signal.signal() }
    }

    /// Writes the lines so far without a further wait; does not block.
    func hurry() {
        state.withLock { $0.isUrgent = true }
        signal.signal()
    }

    /// Runs the body while the thread writes, and returns when all lines are written.
    func whileRunning(_ body: () async throws -> Void) async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        // Not as a task, which could begin late: the body may occupy every thread of the cooperative pool.
        pool.submit { [self] _ in run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        state.withLock { $0.isClosed = true }
        signal.signal()
        // Returns when the thread has ended; it did not begin if the pool stopped first.
        try? await pool.shutdownGracefully()
        putAll(take())
        try result.get()
    }

    private func run() {
        var isClosed = false
        while !isClosed {
            signal.wait()
            if !isPressing { _ = signal.wait(timeout: .now() + delay) }
            let taken = take()
            putAll(taken)
            isClosed = taken.isClosed
        }
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State(isClosed: state.isClosed) }
            return state
        }
    }

    private var isPressing: Bool {
        state.withLock { $0.isUrgent || $0.isClosed || $0.lines.count >= LogWriter.portion }
    }

    private func putAll(_ taken: State) {
        put(taken.lines, isLast: taken.isClosed)
        guard taken.dropped > 0 else { return }
        Counter(label: "lcfile_log_lines_dropped_total").increment(by: taken.dropped)
        let message = "\(taken.dropped) log lines were dropped, because log.buffer (\(bound) bytes) was full.\n"
        put(Array(message.utf8), isLast: taken.isClosed)
    }

    /// Writes bytes; they are lost if the descriptor fails, and at the end also if it does not accept them in a second.
    private func put(_ bytes: [UInt8], isLast: Bool) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if Glibc.poll(&poll, 1, 1000) == 0, isLast { return }
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}
