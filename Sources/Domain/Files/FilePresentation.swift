/// The settings that determine how clients see an app's file records.
package struct FilePresentation: Sendable {
    /// The prefix of file URLs, without a slash at its end: the first of the app's file domains.
    package let publicURL: String
    /// The name of the app's bucket.
    package let bucket: String
    /// Decides who sees a file's verdict.
    package let policy: CensorPolicy

    /// Creates a presentation.
    package init(publicURL: String, bucket: String, policy: CensorPolicy = CensorPolicy()) {
        self.publicURL = publicURL
        self.bucket = bucket
        self.policy = policy
    }

    /// Whether a caller without the master key sees the verdict about a file: its owner, if a setting allows it.
    func showsVerdict(about record: borrowing RawObject, to caller: Caller) -> Bool {
        guard let user = caller.user, policy.settings.isShownToOwner else { return false }
        let owner = record.value("metaData").flatMap(JSONValue.init(stored:))?.objectValue?["owner"]
        return owner == .string(user.id.description)
    }

    /// Completes a stored record to the form that clients see (protocol/files 4).
    ///
    /// Members that begin with `_` are internal and removed. The URL is computed at each read, so that it follows the
    /// file domain. A file on another server has its own URL, and neither bucket nor provider.
    func complete(_ record: inout RawObject, showingURL: Bool = true) {
        record.removeAll { $0.hasPrefix("_") }
        guard let text = record.value("key").flatMap(JSONValue.init(stored:))?.stringValue else { return }
        if showingURL { record.set("url", to: JSONValue.string(url(ofKey: text)).encoded()) }
        record.set("bucket", toPlain: bucket)
        record.set("provider", toPlain: FilePresentation.provider)
    }

    /// A new file as the client that uploaded it sees it (protocol/files 4).
    package func members(of record: FileRecord) -> [String: JSONValue] {
        var members = record.object.fields.filter { !$0.key.hasPrefix("_") }
        members["url"] = .string(url(of: record.key))
        members["bucket"] = .string(bucket)
        members["provider"] = .string(FilePresentation.provider)
        members["objectId"] = .string(record.id.description)
        members["createdAt"] = .string(record.createdAt.iso8601)
        members["updatedAt"] = .string(record.updatedAt.iso8601)
        return members
    }

    /// The storage of a file is internal; this is the only value that every SDK accepts.
    private static let provider = "s3"

    /// The URL of the file with a key.
    package func url(of key: FileKey) -> String {
        url(ofKey: key.description)
    }

    private func url(ofKey key: String) -> String {
        "\(publicURL)/\(key.percentEncodedPath)"
    }
}
