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
            "1", "[]", #""*""#, #"{"*":true}"#, #"{"*":{"read":1}}"#, #"{"*":{"admin":true}}"#, #"{"":{"read":true}}"#,
            #"{"role:":{"read":true}}"#, #"{"a b":{"read":true}}"#, #"{"**":{"read":true}}"#, #"{"*":{"read":null}}"#,
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try acl(text) }
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
