import Domain
import Testing

@Suite struct AccessControlListTests {
    private func acl(_ text: String) throws -> AccessControlList? {
        try AccessControlList(JSONValue(parsing: Array(text.utf8), field: "ACL"))
    }

    @Test("the reference's forms are taken")
    func taken() throws {
        let text = #"{"*":{"read":true},"role:admin":{"read":false,"write":true},"owner":{"write":true}}"#
        #expect(try acl(text)?.json == JSONValue(parsing: Array(text.utf8), field: "ACL").objectValue)
        #expect(try acl("null") == nil)
    }

    @Test(
        "an ACL of another form is refused with its own code",
        arguments: [
            "1", "[]", #""*""#, #"{"*":true}"#, #"{"*":{"read":1}}"#, #"{"*":{"admin":true}}"#, #"{"*":{"read":null}}"#,
            #"{"a b":true}"#,
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try acl(text) }
        #expect(error?.code == .invalidACL)
    }

    @Test(
        "an entry may have any name of up to 128 bytes, without 'role:'",
        arguments: [
            ("", true), ("a b", true), ("**", true), ("role:", true), ("role", true), ("茶 \"\\\u{0}", true),
            (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
            (String(repeating: "茶", count: 42), true), (String(repeating: "茶", count: 43), false),
            ("role:" + String(repeating: "a", count: 128), true),
            ("role:" + String(repeating: "a", count: 129), false),
        ]
    )
    func names(name: String, isTaken: Bool) throws {
        let json: JSONValue = .object([name: .object(["read": .bool(true)])])
        guard isTaken else {
            let error = #expect(throws: ServiceError.self) { try AccessControlList(json) }
            #expect(error?.code == .invalidACL)
            #expect(error?.message.contains("128") == true)
            return
        }
        let made = try #require(try AccessControlList(json))
        #expect(made.json == json.objectValue)
        let user = try #require(ObjectID("u1"))
        #expect(!Readers.subjects(Subjects(user: user, roles: ["a"])).canRead(made))
    }

    @Test("an entry that Unicode calls equal to another one is refused", arguments: ["\u{212A}", "role:\u{212A}ings"])
    func lookalike(name: String) {
        let error = #expect(throws: ServiceError.self) {
            try AccessControlList(.object([name: .object(["read": .bool(true)])]))
        }
        #expect(error?.code == .invalidACL)
    }

    @Test("more entries than an ACL may have are refused")
    func tooMany() {
        let entries = (0...1000).map { #""u\#($0)":{"read":true}"# }.joined(separator: ",")
        let error = #expect(throws: ServiceError.self) { try acl("{\(entries)}") }
        #expect(error?.message.contains("1000") == true)
    }

    @Test(
        "in a default ACL the owner's entry becomes the user's, or goes",
        arguments: [("u1", #"{"*":{"read":true},"u1":{"write":true}}"#), (nil, #"{"*":{"read":true}}"#)]
    )
    func owner(id: String?, expected: String) throws {
        let made = try acl(#"{"*":{"read":true},"owner":{"write":true}}"#)?.owned(by: id.flatMap(ObjectID.init))
        #expect(try made == acl(expected))
    }
}
