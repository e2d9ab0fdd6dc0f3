/// The reply to a command.
package struct ObjectReply: Sendable {
    /// The body of the response: JSON text.
    package var text: [UInt8]
    /// The number of objects that the reply shows.
    package var found = 0
    /// The object that the command created, if it created one.
    package var created: Pointer?
    /// The user whom the command logged in.
    var user: Caller.User?

    /// Creates a reply from JSON text.
    init(text: [UInt8], found: Int) {
        self.text = text
        self.found = found
    }

    /// Creates a reply that shows no complete object.
    init(_ members: [String: JSONValue]) {
        text = JSONValue.object(members).encoded()
    }

    /// The body as a parsed value.
    package var json: JSONValue {
        get throws { try JSONValue(parsing: text, field: "reply") }
    }
}
