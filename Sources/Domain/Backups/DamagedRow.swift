/// A row whose bytes are not those that were written.
package struct DamagedRow: Sendable, Hashable, CustomStringConvertible {
    /// The name of the class, as far as it is known.
    package let className: String
    /// The engine's number of the row.
    package let number: Int64
    /// Its object id, as far as it can be read.
    package let id: String
    /// What is wrong; continues "the row …".
    package let damage: String

    /// Creates the value from the readable parts.
    package init(className: String, number: Int64, id: String, damage: String) {
        self.className = className
        self.number = number
        self.id = id
        self.damage = damage
    }

    /// The row and what is wrong: "the row 7 (Task/64f0…) does not match its checksum".
    package var description: String { "the row \(number) (\(className)/\(id)) \(damage)" }
}
