/// Why a command ends without its result: one message for the operator and an exit code for scripts (sysexits.h).
package struct ExitError: Error, CustomStringConvertible {
    /// The message.
    package let description: String
    /// What the process ends with.
    package let exitCode: Int32

    /// A setting is unknown, malformed or out of its range: 78.
    package static func configuration(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 78)
    }

    /// The storage folder, a database or a file that is needed cannot be used: 73.
    package static func storage(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 73)
    }

    /// A backup was made and can be restored, but damaged files are not in it: 65.
    package static func incomplete(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 65)
    }

    /// An address cannot be listened on: 69.
    package static func address(_ message: String) -> ExitError {
        ExitError(description: message, exitCode: 69)
    }
}
