/// The rules for the fields of file records that clients write without bytes: records of files on other servers, and
/// changes by the master key (protocol/files 3.1, 3.5).
struct FileFields {
    /// The maximum length of a file's name in bytes of UTF-8.
    let nameLength: Int
    /// Whether the master key writes, as imports do: names can contain slashes, and media types keep their charset.
    let isByMaster: Bool

    /// The members of a body that a new record takes; the others are internal members that SDKs send (protocol/files
    /// 2.1).
    static let accepted: Set<String> = ["url", "key", "name", "mime_type", "metaData", "ACL"]

    /// The fields of a new record for a file on another server; downloads nothing and checks only the form of the URL.
    ///
    /// - Parameters:
    ///   - given: The fields of the body.
    ///   - owner: The user who creates the record; `nil` for other callers.
    /// - Returns: The fields, without the ACL.
    /// - Throws: Codes 1, 107, 122 for fields that are missing or of another form.
    func external(_ given: [String: JSONValue], owner: ObjectID?) throws -> [String: JSONValue] {
        let url = try url(in: given)
        guard url != nil || given["name"]?.stringValue != nil else {
            throw ServiceError(.badRequest, "A file on another server needs a url; upload bytes to /1.1/files/<name>.")
        }
        var fields: [String: JSONValue] = [:]
        fields["name"] = .string(try name(in: given, default: url?.lastPathSegment(limit: nameLength)).description)
        fields["url"] = url.map { .string($0.description) }
        fields["mime_type"] = try mediaType(in: given).map { .string($0.headerValue) }
        fields["metaData"] = .object(FileMetadata.external(try metaData(in: given) ?? [:], owner: owner))
        return fields
    }

    /// The fields of a new record whose bytes are still on the origin of the mirror.
    ///
    /// - Parameters:
    ///   - given: The fields of the body.
    ///   - key: The key, under which the origin serves the file.
    /// - Returns: The fields, without the ACL.
    /// - Throws: Codes 1, 107, 122 for fields of another form.
    func missing(_ given: [String: JSONValue], key: FileKey) throws -> [String: JSONValue] {
        var fields: [String: JSONValue] = ["key": .string(key.description)]
        fields["name"] = .string(try name(in: given, default: key.lastSegment).description)
        fields["mime_type"] = try mediaType(in: given).map { .string($0.headerValue) }
        fields["metaData"] = .object(FileMetadata.missing(try metaData(in: given) ?? [:]))
        fields[MirrorField.name] = .string(MirrorState.missing.rawValue)
        return fields
    }

    /// Throws ``ServiceError/Code/forbidden`` unless the caller is allowed to change these fields of a file.
    static func requireChangeable(_ fields: Set<String>, by caller: Caller) throws {
        guard caller.isMaster, fields.isSubset(of: ["name", "metaData"]) else {
            throw ServiceError(
                .forbidden,
                "Forbidden: files are immutable, and only the master key can change their ACL, name and metaData."
            )
        }
    }

    /// The fields of a record after the master key has changed its name, its metadata, or both.
    func changed(_ fields: [String: JSONValue], by given: [String: JSONValue]) throws -> [String: JSONValue] {
        var changed = fields
        if given["name"] != nil { changed["name"] = .string(try name(in: given, default: nil).description) }
        if let new = try metaData(in: given) {
            changed["metaData"] = .object(FileMetadata.changed(fields["metaData"]?.objectValue ?? [:], to: new))
        }
        return changed
    }

    private func url(in given: [String: JSONValue]) throws -> RemoteURL? {
        switch given["url"] {
        case nil, .null: return nil
        case .string(let text): return try RemoteURL(text)
        default: throw ServiceError(.badRequest, "url must be a string.")
        }
    }

    private func name(in given: [String: JSONValue], default other: String?) throws -> FileName {
        switch given["name"] {
        case nil, .null:
            let name = try? FileName(other ?? "", limit: nameLength, allowsSlashes: isByMaster)
            return try name ?? FileName("file", limit: nameLength, allowsSlashes: isByMaster)
        case .string(let text): return try FileName(text, limit: nameLength, allowsSlashes: isByMaster)
        default: throw ServiceError(.invalidFileName, "Invalid file name: the name must be a string.")
        }
    }

    private func mediaType(in given: [String: JSONValue]) throws -> MediaType? {
        switch given["mime_type"] {
        case nil, .null: return nil
        case .string(let text): return MediaType(text, keepingCharset: isByMaster)
        default: throw ServiceError(.badRequest, "mime_type must be a string.")
        }
    }

    private func metaData(in given: [String: JSONValue]) throws -> [String: JSONValue]? {
        switch given["metaData"] {
        case nil, .null: return nil
        case .object(let members): return members
        default: throw ServiceError(.malformedJSON, "metaData must be a JSON object.")
        }
    }
}
