internal import Domain
internal import NIOCore

/// Lists of relations as one JSON object: `{"followers":[…],"followers_count":1,…}`.
struct RelationLists {
    private var text = ByteBuffer(string: "{")

    /// The body of the response, after all lists were appended.
    var json: RawJSON {
        var text = text
        text.writeStaticString("}")
        return RawJSON(text)
    }

    /// Appends the objects that a query found, and their number if the query counted them.
    mutating func append(_ name: String, _ reply: ObjectReply) {
        guard case .listing(let listing) = reply.content else { return }
        if text.readableBytes > 1 { text.writeStaticString(",") }
        text.writeString("\"\(name)\":[")
        for (index, object) in listing.objects.enumerated() {
            if index > 0 { text.writeStaticString(",") }
            text.writeBytes(object.json)
        }
        text.writeStaticString("]")
        if let count = listing.count { text.writeString(",\"\(name)_count\":\(count)") }
    }
}
