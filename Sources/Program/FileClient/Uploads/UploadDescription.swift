/// The properties of a file that is uploaded.
public struct UploadDescription: Sendable, Hashable, Codable {
    /// The file's name.
    public var name: String
    /// The media type; `nil` lets the server detect it from the name and the first bytes.
    public var mimeType: String?
    /// Members of the file's `metaData`, a JSON object.
    public var metaData: JSON?
    /// The file's ACL, a JSON object; `nil` for the default of the class `_File`.
    public var acl: JSON?
    /// The file's key, which needs the master key; `nil` lets the server generate one.
    public var key: String?
    /// Folders in front of the key that the server generates.
    public var keyPrefix: String?
    /// Whether the key that the server generates ends in the file's name.
    public var keyKeepsName = false

    /// The file's objectId, which needs the master key; `nil` lets the server generate one.
    ///
    /// An upload with an objectId is stored once, also if answers are lost: a repeated request finds the file.
    public var objectId: String?
    /// The time of creation in ISO 8601, which needs the master key; `nil` for now.
    public var createdAt: String?
    /// The time of the last change in ISO 8601, which needs the master key; `nil` for the time of creation.
    public var updatedAt: String?

    /// Creates a description with only a name.
    public init(name: String) {
        self.name = name
    }
}
