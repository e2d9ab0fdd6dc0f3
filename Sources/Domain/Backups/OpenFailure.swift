/// Why a database cannot be used.
package struct OpenFailure: Error, CustomStringConvertible {
    /// Continues "the database …".
    package let message: String
    /// Whether its pages are damaged, so that nothing but a backup or a repair helps.
    package let isDamage: Bool

    /// Takes the reason.
    package init(message: String, isDamage: Bool = false) {
        self.message = message
        self.isDamage = isDamage
    }

    /// The message.
    package var description: String { message }
}
