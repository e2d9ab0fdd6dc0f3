/// The reply to a command, as values; the interface encodes them.
package struct ObjectReply: Sendable {
    /// The reply itself.
    package var content: Content
    /// The object that the command created, if it created one.
    package var created: Pointer?
    /// The user whom the command logged in.
    var user: Caller.User?
    /// Whether that user is the caller of the command, whose own session it has ended.
    var renewsSession = false

    /// The kinds of replies.
    package enum Content: Sendable {
        /// The object to read does not exist.
        case missing
        /// Some members of a changed object, such as its id and the time; none after a deletion.
        case members([String: JSONValue])
        /// One object.
        case object(ShownObject)
        /// The result of a query.
        case listing(ObjectListing)
    }

    init(_ content: Content) {
        self.content = content
    }

    init(_ members: [String: JSONValue]) {
        content = .members(members)
    }

    init(_ object: ShownObject) {
        content = .object(object)
    }

    /// The reply to the creation of an object: its id, the time, and further members.
    init(created object: StoredObject, in name: ClassName, _ others: [String: JSONValue] = [:]) {
        let own: [String: JSONValue] = [
            "objectId": .string(object.id.description), "createdAt": .string(object.createdAt.iso8601),
        ]
        content = .members(own.merging(others) { own, _ in own })
        created = Pointer(name, object.id)
    }

    /// The reply to the change of an object: its id, the time, and further members.
    init(updated object: StoredObject, _ others: [String: JSONValue] = [:]) {
        let own: [String: JSONValue] = [
            "objectId": .string(object.id.description), "updatedAt": .string(object.updatedAt.iso8601),
        ]
        content = .members(own.merging(others) { own, _ in own })
    }

    /// Sets a member to a string of letters and digits; of a reply with one object or its members.
    mutating func set(_ name: String, to text: String) {
        switch content {
        case .members(var members):
            members[name] = .string(text)
            content = .members(members)
        case .object(let shown):
            var object = RawObject(shown.json)
            object.set(name, toPlain: text)
            content = .object(ShownObject(json: object.encoded()))
        case .missing, .listing:
            break
        }
    }

    /// The size of the objects in the reply, in bytes.
    package var size: Int {
        switch content {
        case .missing, .members: 0
        case .object(let object): object.json.count
        case .listing(let listing): listing.objects.reduce(0) { $0 + $1.json.count }
        }
    }

    /// The reply to a change without the object's fields, as a client gets it that does not ask for them.
    package var brief: ObjectReply {
        guard case .object(let shown) = content else { return self }
        var reply = self
        reply.content = .object(shown.brief)
        return reply
    }

    /// The members of the one object that the reply shows; empty for other replies.
    package var members: [String: JSONValue] {
        get throws {
            switch content {
            case .members(let members): members
            case .object(let object): try object.members
            case .missing, .listing: [:]
            }
        }
    }
}

extension Caller {
    /// The caller of the next command of a batch: with the session that the command has begun in place of the caller's
    /// own, which other devices have, too.
    ///
    /// The roles are looked up in each transaction.
    func after(_ reply: ObjectReply?) -> Caller {
        guard let reply, reply.renewsSession, let user = reply.user else { return self }
        return logged(in: User(id: user.id, session: user.session))
    }
}

/// An object as a caller sees it.
///
/// Its fields stay text from the store to the response: to decode and encode them would take longer than all other
/// steps of a query.
package struct ShownObject: Sendable {
    /// The object as one JSON object.
    package let json: [UInt8]

    /// The object without its fields: its id, its times, and the token of a session that the change began.
    var brief: ShownObject {
        var object = RawObject(json)
        object.removeAll { !ShownObject.briefMembers.contains($0) }
        return ShownObject(json: object.encoded())
    }

    private static let briefMembers: Set<String> = ["objectId", "createdAt", "updatedAt", "sessionToken"]

    /// The parsed members.
    package var members: [String: JSONValue] {
        get throws { try JSONValue(parsing: json, field: "object", depth: JSONValue.deepestStored).objectValue ?? [:] }
    }
}

/// The objects that a query has found.
package struct ObjectListing: Sendable {
    /// The objects of the page, in order.
    package var objects: [ShownObject] = []
    /// The number of all objects that the condition matches, if the query asks for it.
    package var count: Int?
    /// The class that was queried instead of the named one: the target of a relation (protocol/data 4).
    package var redirectedClass: ClassName?
}

/// One page of a scan (protocol/data 4.6).
package struct ScanPage: Sendable {
    /// The objects, in the order of the scan's key.
    package let objects: [ShownObject]
    /// The cursor of the next page; `nil` for an empty page, which is the last.
    package let cursor: String?
}
