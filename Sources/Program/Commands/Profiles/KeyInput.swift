internal import Glibc

/// Reads keys from standard input: a line each, and on a terminal after a prompt and without echo.
enum KeyInput {
    /// The next line of standard input without white space around it; `nil` at its end.
    ///
    /// - Parameter prompt: Shown on a terminal.
    /// - Returns: The line.
    static func read(_ prompt: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return line() }
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return line() }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Before the prompt, after which the key can arrive at any moment.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        Terminal.write(prompt, to: STDERR_FILENO)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            Terminal.printError("")
        }
        return line()
    }

    /// Reads byte by byte, so that the next line stays for the next call.
    private static func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, byte != 0x0A else {
                if count <= 0, bytes.isEmpty { return nil }
                return String(decoding: bytes, as: UTF8.self).trimming { $0.isWhitespace }
            }
            bytes.append(byte)
        }
    }
}
