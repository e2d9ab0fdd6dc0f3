internal import Glibc

/// The process's own output, unbuffered, so that a reader on a pipe sees a line when it is written.
enum Terminal {
    /// Writes to standard output.
    static func printLine(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Writes to standard error.
    static func printError(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// If the terminal is gone, a failed write cannot be reported, so it is no error.
    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
