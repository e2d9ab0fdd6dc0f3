/// The location of a file record's bytes.
package enum FileLocation: Sendable {
    /// A blob of this server, under a key.
    case here(FileKey)
    /// A URL on another server, and the version of the bytes there that passed their check; `nil` if none is known.
    case elsewhere(RemoteURL, passed: String?)

    /// Reads the location from a record; `nil` if it has none.
    init?(of record: StoredObject) {
        if let key = record.fileKey {
            self = .here(key)
        } else if let text = record.fields["url"]?.stringValue, let url = try? RemoteURL(text) {
            self = .elsewhere(url, passed: record.verdict == .passed ? record.checkedVersion : nil)
        } else {
            return nil
        }
    }
}
