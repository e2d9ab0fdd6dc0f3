/// The reason why a database cannot be used.
package struct OpenFailure: Error, CustomStringConvertible {
    /// The reason; continues "the database …".
    package let message: String
    /// Whether its pages are damaged, so that only a backup or a repair helps.
    package let isDamage: Bool

    /// Creates an error with a reason.
    package init(message: String, isDamage: Bool = false) {
        self.message = message
        self.isDamage = isDamage
    }

    /// Creates the error for a row that is not what was written.
    package init(damaged row: DamagedRow) {
        self.init(message: "is damaged: \(row)", isDamage: true)
    }

    /// The message.
    package var description: String { message }
}
