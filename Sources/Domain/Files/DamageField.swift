/// The field of a file's record that says that its blob is known to be damaged (docs/check.md).
///
/// A field, and not a list of keys in memory: the one look-up of a download has it, and the caches that follow records
/// follow it. Only the server writes it, together with a row of the class `_Damage`.
enum DamageField {
    static let name = "_damaged"
}

extension StoredObject {
    /// Whether the blob of the file's record is known to be damaged.
    var isDamaged: Bool { fields[DamageField.name] == .bool(true) }
}
