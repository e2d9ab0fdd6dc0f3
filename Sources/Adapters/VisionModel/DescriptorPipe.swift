internal import CLinux
internal import Glibc
internal import Synchronization

/// A pipe of which a process has one end and this program the other one, which it uses with deadlines.
///
/// No other process that this program starts inherits an end.
final class DescriptorPipe: Sendable {
    let reading: CInt
    let writing: CInt
    /// Ends that were closed before the object is released.
    private let isClosed = Mutex((reading: false, writing: false))

    init() throws(ProcessFailure) {
        var ends: [CInt] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw .system("pipe", errno) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    /// Closes the end that the process reads; this program writes to the other one.
    func closeReading() {
        isClosed.withLock { isClosed in
            if !isClosed.reading { close(reading) }
            isClosed.reading = true
        }
        makeNonBlocking(writing)
    }

    /// Closes the end to which the process writes; this program reads from the other one.
    func closeWriting() {
        isClosed.withLock { isClosed in
            if !isClosed.writing { close(writing) }
            isClosed.writing = true
        }
        makeNonBlocking(reading)
    }

    /// Writes all bytes.
    ///
    /// The caller blocks SIGPIPE, or the program ignores it.
    func write(_ bytes: [UInt8], by deadline: ContinuousClock.Instant) throws(ProcessFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                try wait(for: POLLOUT, of: writing, by: deadline)
            } else if count < 0, errno == EPIPE {
                throw .ended(nil)
            } else if count < 0, errno != EINTR {
                throw .system("write", errno)
            }
        }
    }

    /// Reads exactly this number of bytes.
    func read(_ count: Int, by deadline: ContinuousClock.Instant) throws(ProcessFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = bytes.withUnsafeMutableBytes { bytes in
                Glibc.read(reading, bytes.baseAddress.map { $0 + filled }, count - filled)
            }
            if read > 0 {
                filled += read
            } else if read == 0 {
                throw .ended(nil)
            } else if errno == EAGAIN {
                try wait(for: POLLIN, of: reading, by: deadline)
            } else if errno != EINTR {
                throw .system("read", errno)
            }
        }
        return bytes
    }

    private func wait(for event: CInt, of end: CInt, by deadline: ContinuousClock.Instant) throws(ProcessFailure) {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { throw .overdue }
        var state = pollfd(fd: end, events: Int16(event), revents: 0)
        // The caller tries again after a signal, a hang-up, and at the deadline.
        _ = poll(&state, 1, CInt(min(left.rounded(.up), 600_000)))
    }

    private func makeNonBlocking(_ end: CInt) {
        _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
}
