internal import Domain

extension UploadDescription {
    /// Decodes the description of an upload, of every dialect that has one (protocol/files 2.1).
    ///
    /// Null counts as missing. Other members, which SDKs add to the body, are ignored.
    ///
    /// - Parameters:
    ///   - members: The members of the body.
    ///   - caller: The caller; with the master key names can be longer, and a media type keeps its charset.
    ///   - limits: The maximum lengths of names.
    /// - Throws: Codes 1, 107, 122, 123, naming the field.
    init(_ members: [String: JSONValue], by caller: Caller, within limits: UploadLimits) throws {
        func text(_ name: String) throws -> String? {
            switch members[name] {
            case nil, .null, .string(""): return nil
            case .string(let text): return text
            default: throw ServiceError(.badRequest, "\(name) must be a string.")
            }
        }
        var metaData: [String: JSONValue] = [:]
        switch members["metaData"] {
        case nil, .null: break
        case let given?:
            // SDKs decode the values inside as those of objects, so they are checked and written alike.
            guard case .object(let normalized) = try given.normalized(field: "metaData"), normalized["__type"] == nil
            else { throw ServiceError(.malformedJSON, "metaData must be a JSON object without __type.") }
            metaData = normalized
        }
        // SDKs pass on what an app calls the type, such as "image" or "jpg": then the name and the bytes decide.
        let type = try text("mime_type").flatMap { MediaType($0, keepingCharset: caller.isMaster) }
        let prefix = try text("prefix") ?? metaData["prefix"]?.stringValue
        self.init(
            name: try FileName(
                try text("name") ?? "file",
                limit: limits.nameLength(for: caller),
                allowsSlashes: caller.isMaster
            ),
            mediaType: type,
            metaData: metaData,
            acl: try members["ACL"].flatMap { try AccessControlList($0) },
            prefix: try prefix.flatMap { try KeyPrefix($0) },
            keepsName: try flag("keep_file_name", in: members)
        )
        systemFields = members.filter { name, value in
            SystemFields.names.contains(name) && value != .null && value != .string("")
        }
    }
}

private func flag(_ name: String, in members: [String: JSONValue]) throws -> Bool {
    switch members[name] {
    case nil, .null: false
    case .bool(let flag): flag
    default: throw ServiceError(.badRequest, "\(name) must be true or false.")
    }
}
