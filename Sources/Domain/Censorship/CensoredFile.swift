/// A file as reviewers see it.
package struct CensoredFile: Sendable {
    /// The file's record.
    let record: StoredObject
    /// The file's URL, which answers 403 while it is blocked.
    let url: String?
    /// The address of a small version of the image, which is also shown while the file is blocked.
    let thumbnailURL: String
    /// The decisions about it, newest first; `nil` if they were not requested.
    var history: [Decision]?

    /// The members of the API.
    package var members: [String: JSONValue] {
        var members = record.decision?.members ?? [:]
        members["verdict"] = nil
        members["decidedBy"] = members.removeValue(forKey: "kind")
        members["decidedAt"] = members.removeValue(forKey: "at")
        members["objectId"] = .string(record.id.description)
        members["censorResult"] = record.verdict.map { .string($0.rawValue) } ?? .null
        members["url"] = url.map(JSONValue.string)
        members["thumbnailURL"] = .string(thumbnailURL)
        if let history {
            members["history"] = .array(history.map { .object($0.members) })
            return members
        }
        for name in ["name", "mime_type"] { members[name] = record.fields[name] }
        members["size"] = record.fields["_size"]
        members["createdAt"] = .string(record.createdAt.iso8601)
        return members
    }
}
