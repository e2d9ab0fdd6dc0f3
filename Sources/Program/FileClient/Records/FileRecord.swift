/// The record of a file: an object of the class `_File`.
public struct FileRecord: Sendable, Hashable, Codable {
    /// All members of the record as the server sent them.
    public var fields: [String: JSON]
    /// Whether an upload with an objectId found this file on the server instead of creating it.
    public var wasKnown = false

    /// Creates a record of these members.
    public init(fields: [String: JSON]) {
        self.fields = fields
    }

    /// Decodes a JSON object.
    public init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: JSON].self)
    }

    /// Encodes the members as a JSON object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(fields)
    }

    /// The record's id; empty if it is missing.
    public var objectId: String { self["objectId"] ?? "" }
    /// The file's name; empty if it is missing.
    public var name: String { self["name"] ?? "" }
    /// The file's public URL; `nil` for a record without one.
    public var url: String? { self["url"] }
    /// The path of the URL; `nil` for a file on another server.
    public var key: String? { self["key"] }
    /// The media type.
    public var mimeType: String? { self["mime_type"] }
    /// The time of creation, such as `2026-11-21T08:01:20.175Z`.
    public var createdAt: String? { self["createdAt"] }
    /// The number of bytes; `nil` if it is unknown.
    public var size: Int64? {
        if case .integer(let size) = metaData["size"] { size } else { nil }
    }
    /// The MD5 of the bytes in lower-case hexadecimal; `nil` if it is unknown.
    public var checksum: String? {
        if case .string(let text) = metaData["_checksum"] { text } else { nil }
    }

    /// The string of a member; `nil` if it is missing or no string.
    public subscript(name: String) -> String? {
        if case .string(let text) = fields[name] { text } else { nil }
    }

    private var metaData: [String: JSON] {
        if case .object(let members) = fields["metaData"] { members } else { [:] }
    }
}
