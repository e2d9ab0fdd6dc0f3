/// The settings that determine how clients see an app's file records.
package struct FilePresentation: Sendable {
    /// The prefix of file URLs, without a slash at its end: the first of the app's file domains.
    package let publicURL: String
    /// The name of the app's bucket.
    package let bucket: String
    /// Decides who sees a file's verdict.
    package let policy: CensorPolicy
    /// Decides which URLs need a signature, and signs them.
    package let privacy: FilePrivacy

    /// Creates a presentation.
    package init(
        publicURL: String,
        bucket: String,
        policy: CensorPolicy = CensorPolicy(),
        privacy: FilePrivacy = .open
    ) {
        self.publicURL = publicURL
        self.bucket = bucket
        self.policy = policy
        self.privacy = privacy
    }

    /// The members of a record that decide how a caller sees its other members.
    func membersRead(for caller: Caller) -> Set<String> {
        policy.settings.isShownToOwner && caller.user != nil ? ["key", "metaData"] : ["key"]
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
    /// file domain, and the signature of a private file is fresh: call it only for callers who are allowed to read the
    /// record. A file on another server has its own URL, and neither bucket nor provider.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - acl: Its ACL as JSON text; `nil` without one.
    ///   - showingURL: Whether clients see the URL.
    func complete(_ record: inout RawObject, acl: [UInt8]?, showingURL: Bool = true) {
        record.removeAll { $0.hasPrefix("_") }
        guard let text = record.value("key").flatMap(JSONValue.init(stored:))?.stringValue else { return }
        if showingURL {
            let acl = privacy.access == .acl ? acl.map { JSONValue(stored: $0[...])?.objectValue ?? [:] } : nil
            let url = url(ofKey: text, isPrivate: privacy.access.isPrivate(acl.map(AccessControlList.init(stored:))))
            record.set("url", to: JSONValue.string(url).encoded())
        }
        record.set("bucket", toPlain: bucket)
        record.set("provider", toPlain: FilePresentation.provider)
    }

    /// A new file as the client that uploaded it sees it (protocol/files 4).
    package func members(of record: FileRecord) -> [String: JSONValue] {
        var members = record.object.fields.filter { !$0.key.hasPrefix("_") }
        members["url"] = .string(url(of: record.key, acl: record.acl))
        members["bucket"] = .string(bucket)
        members["provider"] = .string(FilePresentation.provider)
        members["objectId"] = .string(record.id.description)
        members["createdAt"] = .string(record.createdAt.iso8601)
        members["updatedAt"] = .string(record.updatedAt.iso8601)
        return members
    }

    /// The storage of a file is internal; this is the only value that every SDK accepts.
    private static let provider = "s3"

    /// The URL of a file, with a signature if it is private.
    ///
    /// - Parameters:
    ///   - key: The file's key.
    ///   - acl: The file's ACL.
    /// - Returns: The URL.
    package func url(of key: FileKey, acl: AccessControlList?) -> String {
        url(ofKey: key.description, isPrivate: privacy.access.isPrivate(acl))
    }

    /// The URL of a file for the client that uploads it; its ACL can come from the class later.
    package func url(ofUpload key: FileKey) -> String {
        url(ofKey: key.description, isPrivate: privacy.access != .public)
    }

    /// The URL of a file without a signature.
    package func plainURL(of key: FileKey) -> String {
        url(ofKey: key.description, isPrivate: false)
    }

    private func url(ofKey text: String, isPrivate: Bool) -> String {
        let url = "\(publicURL)/\(text.percentEncodedPath)"
        guard isPrivate, let key = FileKey(text),
            let parameters = privacy.parameters(for: key, until: privacy.expiry(at: .now()))
        else { return url }
        return "\(url)?\(parameters)"
    }
}
