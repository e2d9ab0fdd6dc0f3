internal import Domain

/// One request of a batch, checked for its form.
struct BatchItem {
    let method: String
    let parameters: ObjectParameters
    let body: JSONValue
    /// The path behind `/1.1`.
    let segments: [Substring]

    /// Swift sends methods in lower case; paths can begin with `/1.1`.
    init(_ json: JSONValue) throws {
        guard let members = json.objectValue, let path = members["path"]?.stringValue else {
            throw ServiceError(.malformedJSON, "A request of a batch must have method and path.")
        }
        method = members["method"]?.stringValue?.uppercased() ?? ""
        let parts = path.split(separator: "?", maxSplits: 1)
        var segments = (parts.first ?? "").segments.map(\.decodedSegment)
        if ["1.1", "1"].contains(segments.first) { segments.removeFirst() }
        self.segments = segments
        parameters = try ObjectParameters(query: parts.count > 1 ? String(parts[1]) : nil)
            .replacingValues(by: members["params"]?.objectValue ?? [:])
        body = members["body"] ?? .null
    }

    var path: ObjectPath {
        get throws { try ObjectPath(segments) }
    }

    /// Whether the request is `GET /cloudQuery`: Objective-C sends statements of more than about 4000 bytes in a batch.
    var isStatement: Bool { method == "GET" && segments == ["cloudQuery"] }

    /// The query that the request is, if it runs alone.
    var loneQuery: LoneQuery? { method == "GET" ? LoneQuery(segments) : nil }

    /// Throws if the request would copy a file from another server, which can take long.
    func requireNoCopy() throws {
        guard try path.className != .file || !RemoteFile.isCopy(body) else {
            throw ServiceError(.badRequest, "fetch is not allowed in a batch; send a separate request.")
        }
    }

    /// Throws if the request would publish a status, which has its own rules and delivers to many inboxes.
    func requireNoStatus() throws {
        guard method != "POST" || segments != ["statuses"] else {
            throw ServiceError(.badRequest, "POST /1.1/statuses is not allowed in a batch; send a separate request.")
        }
    }
}

/// The queries that SDKs send as the only request of a batch if they are too long for a URL; these run alone.
enum LoneQuery {
    case inbox
    case searchForFriends
    case friends
    case blockList

    /// The query of a path behind `/1.1`; `nil` for other paths.
    init?(_ segments: [Substring]) {
        switch segments {
        case ["subscribe", "statuses"]: self = .inbox
        case ["users", "strictlyQuery"]: self = .searchForFriends
        case ["users", "self", "friends"]: self = .friends
        case ["users", "self", "friendBlocklist"]: self = .blockList
        default: return nil
        }
    }
}
