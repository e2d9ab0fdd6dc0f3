internal import FileClient

/// The exit codes of commands; `serve`, `backup`, `restore` and `check` have further ones (`ExitError`).
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
        if let error = error as? UnreachableServer { return status(of: error.reason) }
        guard let error = error as? FileClientError else { return error is UsageError ? usage : failure }
        return error.isAboutServer ? server : failure
    }
}

/// Wrong arguments or settings that are found after the arguments are parsed.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
