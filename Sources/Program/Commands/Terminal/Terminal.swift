internal import Glibc

/// Unbuffered output of the process, so that a reader of a pipe receives each line when it is written.
enum Terminal {
    /// Writes to standard output.
    static func printLine(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Writes to standard error.
    static func printError(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Ignores a failed write, which cannot be reported without a terminal.
    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
