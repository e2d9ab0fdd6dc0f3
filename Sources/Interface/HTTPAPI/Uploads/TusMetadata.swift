internal import Domain

/// `Upload-Metadata`: pairs of a name and a Base64 string.
struct TusMetadata {
    private var texts: [String: String] = [:]

    /// Parses the header.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the error.
    init(_ header: String) throws {
        for pair in header.split(separator: ",") {
            let parts = pair.split(separator: " ")
            guard (1...2).contains(parts.count), texts[String(parts[0])] == nil else {
                throw ServiceError(.badRequest, "Upload-Metadata must be pairs of a name and Base64, each name once.")
            }
            guard let bytes = [UInt8](base64: parts.count == 2 ? parts[1] : ""),
                let text = String(validating: bytes, as: UTF8.self)
            else {
                throw ServiceError(.badRequest, "Upload-Metadata: '\(parts[0].prefix(64))' is not UTF-8 in Base64.")
            }
            texts[String(parts[0])] = text
        }
    }

    /// The key that the client chose.
    var key: String? { texts["key"] }

    /// The members of a body of `fileTokens`; clients of tus use other names for some.
    var members: [String: JSONValue] {
        get throws {
            func first(_ names: [String]) -> JSONValue? {
                names.lazy.compactMap { texts[$0] }.first.map(JSONValue.string)
            }
            var members: [String: JSONValue] = [:]
            members["name"] = first(["filename", "name"])
            members["mime_type"] = first(["filetype", "mime_type", "type"])
            for name in ["prefix", "objectId", "createdAt", "updatedAt"] { members[name] = first([name]) }
            for name in ["metaData", "ACL"] {
                members[name] = try texts[name].map {
                    try JSONValue(parsing: Array($0.utf8), field: name, values: JSONValue.maxValues)
                }
            }
            members["keep_file_name"] = texts["keep_file_name"].map { .bool(["true", "1", ""].contains($0)) }
            return members
        }
    }
}
