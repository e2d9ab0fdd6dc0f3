/// The location of a file record's bytes.
package enum FileLocation: Sendable {
    /// A blob of this server, under a key.
    case here(FileKey)
    /// A URL on another server.
    case elsewhere(RemoteURL)

    /// Reads the location from a record; `nil` if it has none.
    init?(of record: StoredObject) {
        if let key = record.fileKey {
            self = .here(key)
        } else if let text = record.fields["url"]?.stringValue, let url = try? RemoteURL(text) {
            self = .elsewhere(url)
        } else {
            return nil
        }
    }
}
