/// The error that ends a command: one message for the operator and an exit code for scripts (sysexits.h).
package struct ExitError: Error, CustomStringConvertible {
    /// The message.
    package let description: String
    /// The exit code of the process.
    package let exitCode: Int32

    /// The error for a setting that is unknown, malformed or out of its range: 78.
    package static func configuration(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 78)
    }

    /// The error for a storage folder, a database or a required file that cannot be used: 73.
    package static func storage(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 73)
    }

    /// The error for a backup that can be restored, but lacks damaged files: 65.
    package static func incomplete(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 65)
    }

    /// The error for an address on which the server cannot listen: 69.
    package static func address(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 69)
    }
}
