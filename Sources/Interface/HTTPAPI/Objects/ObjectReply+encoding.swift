internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Replies as the JSON of responses (protocol/data 3.1, 4).
extension ObjectReply {
    /// The reply as the body of a response.
    var json: RawJSON {
        var text = ByteBuffer()
        text.write(self)
        return RawJSON(text)
    }

    /// The response to a request of its own: 201 with the path of a created object, otherwise 200.
    var response: Response {
        guard let created else { return json.response() }
        let location = "/1.1/classes/\(created.className)/\(created.id)"
        return json.response(status: .created, headers: [.location: location])
    }
}

extension CQLReply {
    /// The reply as the body of a response.
    var json: RawJSON {
        var text = ByteBuffer()
        text.write(self)
        return RawJSON(text)
    }
}

extension CQLExplanation {
    /// The explanation as the body of a response.
    var json: JSONValue {
        .object([
            "className": .string(className.description), "where": condition,
            "queries": .array(queries.map { .object($0.members) }),
        ])
    }
}

extension CQLExplanation.Query {
    fileprivate var members: [String: JSONValue] {
        [
            "kind": .string(kind.rawValue), "className": .string(className.description),
            "sql": .string(explanation.statement), "plan": .array(explanation.plan.map(JSONValue.string)),
        ]
    }
}

extension ScanPage {
    /// The page as the body of a response.
    var json: RawJSON {
        var text = ByteBuffer()
        text.write(objects, followedBy: [("cursor", cursor.map(JSONValue.string) ?? .null)])
        return RawJSON(text)
    }
}

extension ByteBuffer {
    /// Writes a reply.
    mutating func write(_ reply: ObjectReply) {
        switch reply.content {
        case .missing: writeStaticString("{}")
        case .members(let members): write(members)
        case .object(let object): writeBytes(object.json)
        case .listing(let listing):
            var others: [(String, JSONValue)] = []
            if let name = listing.redirectedClass { others.append(("className", .string(name.description))) }
            if let count = listing.count { others.append(("count", .integer(Int64(count)))) }
            write(listing.objects, followedBy: others)
        }
    }

    /// Writes the replies of a `batch/save` as one JSON object.
    mutating func write(_ replies: SaveReplies) {
        reserveCapacity(minimumWritableBytes: replies.size + 2)
        writeStaticString("{")
        for (index, reply) in replies.all.enumerated() {
            if index > 0 { writeStaticString(",") }
            writeBytes(JSONValue.string(reply.name).encoded())
            writeStaticString(":")
            writeBytes(reply.object.json)
        }
        writeStaticString("}")
    }

    /// Writes the reply to a CQL statement.
    mutating func write(_ reply: CQLReply) {
        let name = JSONValue.string(reply.className.description)
        switch reply.content {
        case .listing(let listing):
            var others = [("className", name)]
            if let count = listing.count { others.append(("count", .integer(Int64(count)))) }
            write(listing.objects, followedBy: others)
        case .changes(let changes):
            write(["results": .array(changes.map(JSONValue.object)), "className": name])
        }
    }

    /// Writes members as one JSON object.
    mutating func write(_ members: [String: JSONValue]) {
        writeBytes(JSONValue.object(members).encoded())
    }

    /// Writes `{"results":[…]}` with further members.
    mutating func write(_ objects: [ShownObject], followedBy others: [(name: String, value: JSONValue)]) {
        reserveCapacity(minimumWritableBytes: objects.reduce(128) { $0 + $1.json.count + 1 })
        writeStaticString(#"{"results":["#)
        for (index, object) in objects.enumerated() {
            if index > 0 { writeStaticString(",") }
            writeBytes(object.json)
        }
        writeStaticString("]")
        for (name, value) in others { writeBytes(Array(",\"\(name)\":".utf8) + value.encoded()) }
        writeStaticString("}")
    }
}
