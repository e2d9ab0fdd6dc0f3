internal import Glibc

/// Questions that a user answers with yes or no.
enum Question {
    /// Asks on standard error and reads the answer from standard input; everything but `y` and `yes` is a no.
    static func ask(_ question: String) -> Bool {
        Terminal.write("\(question) [y/N] ", to: STDERR_FILENO)
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }
}
