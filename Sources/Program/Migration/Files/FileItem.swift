package import FileClient

/// A file that is imported, from the disk or from a URL.
package struct FileItem: MigrationItem {
    /// Where the bytes are.
    package enum Content: Sendable, Hashable {
        /// A regular file.
        case path(String)
        /// A URL of http or https.
        case url(String)
    }

    /// The path or URL, as the source names it.
    package let name: String
    /// The number of bytes; `nil` if it is unknown.
    package let size: Int64?
    /// The size and the time of the last change, or the URL; and what the source says about the file.
    package let fingerprint: String
    /// Where the bytes are.
    package let content: Content
    /// What the server stores about the file.
    package let description: UploadDescription
    /// The size and checksum that the bytes of a URL must have; `nil` if the source does not say them.
    var expected: FileRecord?

    /// The record of the source, of which the server makes some fields itself; `nil` if the source has none.
    var record: ExportedObject? {
        guard let expected, let objectId else { return nil }
        return ExportedObject(id: objectId, place: name, body: JSON.object(expected.fields).encoded)
    }

    /// The objectId that the source gives.
    package var objectId: String? { description.objectId }
    /// Whether the file has an objectId or a key of its own, and its source says which bytes it has.
    package var isComparable: Bool {
        switch content {
        case .path: objectId != nil || description.key != nil
        case .url: objectId != nil && expected != nil
        }
    }
}

/// What is the same for all files of an import.
package struct FileTemplate: Sendable, Hashable {
    /// Members of `metaData` and the ACL; the name is that of each file.
    package var description = UploadDescription(name: "")
    /// Folders in front of every key.
    package var keyPrefix: String?
    /// Whether the key is the path in the imported folder, instead of a random one.
    package var keepsPaths = false

    /// Creates a template that leaves everything to the server.
    package init() {}

    /// The description of a file.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - path: Its path in the imported folder, with slashes.
    /// - Returns: The description.
    func description(named name: String, path: String) -> UploadDescription {
        var description = description
        description.name = name
        if keepsPaths {
            description.key = keyPrefix.map { "\($0)/\(path)" } ?? path
        } else {
            description.keyPrefix = keyPrefix
        }
        return description
    }
}
