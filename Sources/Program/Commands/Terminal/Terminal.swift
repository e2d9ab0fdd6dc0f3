internal import FoundationEssentials
internal import Glibc

/// Unbuffered output of the process, so that a reader of a pipe receives each line when it is written.
enum Terminal {
    /// Writes a result to standard output (``ResultOutput``).
    static func printLine(_ text: String) {
        ResultOutput.standard.write(text + "\n")
    }

    /// Writes to standard error; a failure cannot be reported.
    static func printError(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Whether standard error is a terminal, where progress is shown.
    static var showsProgress: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether standard output is a terminal.
    static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard input is a terminal, where a user can answer a question.
    static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// The number of columns of the terminal at standard error; 80 if it is unknown.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The text with control characters replaced, so that a file name cannot control the terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Also the marks that change the direction of what follows.
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }

    /// Writes a text to a descriptor.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - descriptor: The descriptor.
    /// - Returns: The error number of a write that failed; `nil` if the whole text is written.
    @discardableResult
    static func write(_ text: String, to descriptor: CInt) -> CInt? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another process that shares the descriptor has made it non-blocking.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&poller, 1, -1)
                continue
            }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
