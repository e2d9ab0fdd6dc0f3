/// Rules for the members of a file's `metaData` that the server decides; all others are the client's (protocol/files 4).
enum FileMetadata {
    /// The metadata of an uploaded file.
    ///
    /// - Parameters:
    ///   - given: The client's members.
    ///   - facts: Size and MD5 of the bytes; they replace those of the client.
    ///   - source: The URL from which the server copied the bytes.
    ///   - owner: The user who uploads; a client's `owner` takes precedence.
    /// - Returns: The members of the record.
    static func uploaded(
        _ given: [String: JSONValue],
        _ facts: BlobFacts,
        from source: RemoteURL?,
        owner: ObjectID?
    ) -> [String: JSONValue] {
        var members = owned(given, by: owner)
        members["__source"] = nil
        members["__sourceURL"] = source.map { .string($0.description) }
        members["size"] = .integer(facts.size)
        members["_checksum"] = facts.md5.map(JSONValue.string)
        return members
    }

    /// The metadata of a file on another server.
    static func external(_ given: [String: JSONValue], owner: ObjectID?) -> [String: JSONValue] {
        var members = owned(given, by: owner)
        members["__source"] = .string("external")
        return members
    }

    /// The metadata of a file whose bytes the mirror has not fetched yet: size and MD5 are those that an import gives.
    static func missing(_ given: [String: JSONValue]) -> [String: JSONValue] {
        var members = owned(given, by: nil)
        for name in ["__source", "__sourceURL"] { members[name] = nil }
        return members
    }

    /// The metadata after a change; what the server has computed from the bytes stays.
    static func changed(_ known: [String: JSONValue], to given: [String: JSONValue]) -> [String: JSONValue] {
        var members = given
        for name in ["size", "_checksum", "__source", "__sourceURL"] { members[name] = known[name] }
        return members
    }

    private static func owned(_ given: [String: JSONValue], by owner: ObjectID?) -> [String: JSONValue] {
        var members = given
        members["owner"] = members["owner"] ?? .string(owner?.description ?? "unknown")
        return members
    }
}
