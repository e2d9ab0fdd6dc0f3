import Domain
import Testing

@Suite struct ReadableListsTests {
    @Test("answers about repeated and different ACLs, more than are remembered, are those of the subjects")
    func answers() throws {
        let user = try #require(ObjectID("u1"))
        let subjects = Subjects(user: user, roles: ["A", "B"])
        let lists = ReadableLists(for: subjects)
        let texts = (0..<5000).flatMap { number in
            [
                #"{"u\#(number % 3000)":{"read":true}}"#, #"{"role:A":{"read":\#(number.isMultiple(of: 2))}}"#,
                #"{"role:\#(number)":{"read":true},"role:B":{"read":true}}"#, "{}", "",
                #"{"\#(String(repeating: "x", count: number % 100))":{"read":true}}"#,
            ]
        }
        for text in texts {
            let (answer, expected) = Array(text.utf8).withUnsafeBufferPointer {
                (lists.canRead($0), subjects.have(.read, in: $0))
            }
            #expect(answer == expected, "\(text)")
        }
    }

    @Test(
        "names in ACLs are compared as stored, with escapes",
        arguments: [
            (#"{"role:say \"A\"":{"read":true}}"#, true), (#"{"role:say A":{"read":true}}"#, false),
            (#"{"role:back\\slash":{"read":true}}"#, true), (#"{"role:茶":{"read":true}}"#, true),
            (#"{"role:茶 ":{"read":true}}"#, false), (#"{"u1":{"read":true}}"#, true), (#"{"u":{"read":true}}"#, false),
        ]
    )
    func escapes(text: String, canRead: Bool) throws {
        let user = try #require(ObjectID("u1"))
        let readers = Readers.subjects(Subjects(user: user, roles: [#"say "A""#, #"back\slash"#, "茶"]))
        #expect(readers.canRead(stored: Array(text.utf8)) == canRead)
        let json = try JSONValue(parsing: Array(text.utf8), field: "ACL").objectValue
        #expect(readers.canRead(AccessControlList(stored: try #require(json))) == canRead)
    }
}
