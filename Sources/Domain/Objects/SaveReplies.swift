/// The replies of `POST /batch/save`, by the `__internalId` of their objects.
///
/// They stay text, because parsed values can take forty times the memory.
package struct SaveReplies: Sendable {
    private struct Reply: Sendable {
        var object: ShownObject
        /// Whether it has the object's fields.
        var hasFields: Bool
    }

    private var replies: [String: Reply] = [:]

    /// The size of the objects with their fields in bytes; other replies count as small.
    package var size: Int { replies.values.reduce(0) { $0 + ($1.hasFields ? $1.object.json.count : 0) } }

    /// The replies in the order of their names.
    package var all: [(name: String, object: ShownObject)] {
        replies.map { (name: $0.key, object: $0.value.object) }.sorted { $0.name < $1.name }
    }

    /// The replies without the fields of their objects.
    package var brief: SaveReplies {
        var brief = self
        brief.replies = replies.mapValues { reply in
            reply.hasFields ? Reply(object: reply.object.brief, hasFields: false) : reply
        }
        return brief
    }

    /// Adds the reply to an item; its members replace those of earlier items with the same name.
    mutating func add(_ reply: ObjectReply, of name: String) throws {
        var new: Reply
        if case .object(let shown) = reply.content {
            new = Reply(object: shown, hasFields: true)
        } else {
            var members = try reply.members
            if reply.created != nil { members["updatedAt"] = members["updatedAt"] ?? members["createdAt"] }
            new = Reply(object: ShownObject(members), hasFields: false)
        }
        if let known = replies[name] {
            let members = try known.object.members.merging(new.object.members) { _, new in new }
            new = Reply(object: ShownObject(members), hasFields: known.hasFields || new.hasFields)
        }
        replies[name] = new
    }
}

extension ShownObject {
    fileprivate init(_ members: [String: JSONValue]) {
        self.init(json: JSONValue.object(members).encoded())
    }
}
