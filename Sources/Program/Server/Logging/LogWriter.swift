internal import CoreMetrics
internal import Domain
internal import Glibc
internal import HTTPAPI
internal import Logging
internal import NIOPosix
internal import Synchronization

/// Writes log lines from a bounded buffer on a thread of its own, so that no request waits for the log.
///
/// Requests wait as values, which the thread formats: formatting would take more of an event loop's time than the rest
/// of a hot download.
///
/// The thread writes when ``portion`` bytes wait, when a line has waited for a second, and at once after ``hurry()``.
/// A line for which the buffer has no space is dropped; the log and the metrics say how many were. A process that is
/// killed loses the lines of its last second. Thread-safe.
final class LogWriter: Sendable {
    /// The number of waiting bytes at which the thread writes without a further wait.
    static let portion = 64 << 10

    /// The number of bytes that a request counts beside the values that clients choose, about those of its line.
    private static let requestSize = 256

    /// What waits to be written.
    private enum Entry {
        case line([UInt8])
        case request(RequestRecord)
    }

    private struct State {
        var entries: [Entry] = []
        /// The size of the entries in bytes.
        var size = 0
        var dropped = 0
        /// Whether the thread writes without a further wait.
        var isUrgent = false
        var isClosed = false
    }

    /// The layout of the lines.
    let layout: LogLayout
    private let bound: Int
    private let descriptor: CInt
    private let delay: Duration
    private let state = Mutex(State())
    private let signal = TimedSemaphore()

    /// Creates a writer whose lines wait until ``whileRunning(_:)``.
    ///
    /// - Parameters:
    ///   - layout: The layout of the lines.
    ///   - bound: The maximum number of bytes that wait.
    ///   - descriptor: Where the lines go; it must stay open.
    ///   - delay: How long a line waits for others.
    init(
        layout: LogLayout = .text,
        bound: Int,
        descriptor: CInt = STDERR_FILENO,
        delay: Duration = .seconds(1)
    ) {
        self.layout = layout
        self.bound = bound
        self.delay = delay
        self.descriptor = descriptor
    }

    /// Adds a line; never blocks.
    func write(_ line: LogLine) {
        var bytes: [UInt8] = []
        layout.write(line, to: &bytes)
        add(.line(bytes), size: bytes.count)
    }

    /// Adds the line of a request; never blocks.
    func write(_ request: RequestRecord) {
        add(.request(request), size: LogWriter.requestSize + request.path.utf8.count + request.client.size)
    }

    private func add(_ entry: Entry, size: Int) {
        let wakes = state.withLock { state in
            guard state.size + size <= bound else {
                state.dropped += 1
                return state.entries.isEmpty
            }
            let before = state.size
            state.entries.append(entry)
            state.size += size
            return before == 0 || (before < LogWriter.portion && state.size >= LogWriter.portion)
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
            if !isPressing { _ = signal.wait(for: delay) }
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
        state.withLock { $0.isUrgent || $0.isClosed || $0.size >= LogWriter.portion }
    }

    private func putAll(_ taken: State) {
        var bytes: [UInt8] = []
        for entry in taken.entries {
            switch entry {
            case .line(let line): bytes.append(contentsOf: line)
            case .request(let request): layout.write(LogLine(request), to: &bytes)
            }
            guard bytes.count >= LogWriter.portion else { continue }
            put(bytes, isLast: taken.isClosed)
            bytes.removeAll(keepingCapacity: true)
        }
        if taken.dropped > 0 {
            Counter(label: "lcfile_log_lines_dropped_total").increment(by: taken.dropped)
            layout.write(dropping(taken.dropped), to: &bytes)
        }
        put(bytes, isLast: taken.isClosed)
    }

    private func dropping(_ count: Int) -> LogLine {
        LogLine(
            time: .now(),
            level: .warning,
            logger: "lcfile",
            message: "\(count) log lines were dropped, because log.buffer (\(bound) bytes) was full.",
            fields: []
        )
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
