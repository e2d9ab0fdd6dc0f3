internal import FileClient
internal import Synchronization

/// The files of a command that failed; printed at its end.
final class Failures: Sendable {
    /// The number of failures that are listed; more are counted only.
    static let listed = 1000

    private struct State {
        var lines: [String] = []
        var count = 0
        var isAboutServer = false
    }

    private let state = Mutex(State())

    /// The number of failed files.
    var count: Int { state.withLock { $0.count } }

    /// Notes a failed file.
    func add(_ name: String, _ error: any Error) {
        state.withLock { state in
            state.count += 1
            if ExitStatus.status(of: error) == ExitStatus.server { state.isAboutServer = true }
            if state.lines.count < Failures.listed { state.lines.append("\(name): \(error)") }
        }
    }

    /// The exit code: 0 without failures.
    var exitStatus: Int32 {
        state.withLock { $0.count == 0 ? 0 : $0.isAboutServer ? ExitStatus.server : ExitStatus.failure }
    }

    /// The list for standard error: one line for one failure, otherwise a heading and a line for each.
    ///
    /// - Parameters:
    ///   - files: The number of files of the command.
    ///   - style: For the beginnings of lines.
    /// - Returns: The lines; empty without failures.
    func lines(of files: Int, style: Style) -> [String] {
        state.withLock { state in
            var lines = state.lines.map { style.red("lcfile:") + " " + Terminal.printable($0) }
            if state.count > lines.count { lines.append("lcfile: and \(state.count - lines.count) more") }
            if state.count > 1 {
                lines.insert("lcfile: \(state.count) of \(Amount.count(files, "file")) failed:", at: 0)
            }
            return lines
        }
    }
}
