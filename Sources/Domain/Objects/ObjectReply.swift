/// What a command gives.
package struct ObjectReply: Sendable {
    /// The body of the answer: JSON text.
    package var text: [UInt8]
    /// How many objects it shows.
    package var found = 0
    /// The object that was made, if one was.
    package var created: Pointer?
    /// Who is logged in by it.
    var user: Caller.User?

    /// A reply of text.
    init(text: [UInt8], found: Int) {
        self.text = text
        self.found = found
    }

    /// A reply that shows no whole object.
    init(_ members: [String: JSONValue]) {
        text = JSONValue.object(members).encoded()
    }

    /// The body as a value, for those who look into it.
    package var json: JSONValue {
        get throws { try JSONValue(parsing: text, field: "reply") }
    }
}
