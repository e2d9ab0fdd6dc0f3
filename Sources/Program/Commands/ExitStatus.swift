internal import FileClient

/// The exit codes of commands; `serve`, `backup` and `restore` have further ones (`ExitError`).
enum ExitStatus {
    /// A file, an object or a setting was refused; the rest is done.
    static let failure: Int32 = 1
    /// Wrong arguments, or a profile, key file or variable that cannot be used.
    static let usage: Int32 = 2
    /// The server cannot be reached, does not accept the credentials, or fails.
    static let server: Int32 = 3
    /// Ended by Ctrl-C, as shells report it.
    static let interrupted: Int32 = 130

    /// The exit code for the error of a call.
    static func status(of error: any Error) -> Int32 {
        if error is CancellationError { return interrupted }
        guard let error = error as? FileClientError else { return error is UsageError ? usage : failure }
        return isAboutServer(error) ? server : failure
    }

    /// Whether other calls would fail for the same reason, so that a command that transfers many files stops.
    static func isAboutServer(_ error: FileClientError) -> Bool {
        switch error.kind {
        case .unreachable, .interrupted: true
        // 507 is the server's full disk: every other file is refused too.
        case .refused: error.status == 401 || error.status == 429 || error.status >= 500
        case .unexpectedAnswer, .damaged, .local: false
        }
    }
}

/// Wrong arguments or settings that are found after the arguments are parsed.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
