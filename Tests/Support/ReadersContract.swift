package import Domain
internal import Testing

/// The contract of every ``ObjectStore`` about ``Readers``: it finds the objects for which ``Readers/canRead(_:)``
/// holds.
package enum ReadersContract {
    /// Lists of subjects, short and long: stores can search for few in another way than for many.
    private static let roles: [[String]] = [
        [], ["A"], ["A", "B c"], (0..<30).map { "R\($0)" }, ["A"] + (0..<30).map { "R\($0)" },
        [#"Q""#, #"\"#],
    ]

    private static let user = "64f0c1a2b3d4e5f601234500"

    /// ACLs of every form, including those with names that could be confused with others.
    private static let lists = [
        nil, "{}", #"{"*":{"read":true,"write":true}}"#, #"{"*":{"read":true}}"#, #"{"*":{"read":false}}"#,
        #"{"*":{"write":true}}"#, #"{"*":{}}"#, #"{"*":{"read":false},"U":{"read":true}}"#, #"{"U":{"read":true}}"#,
        #"{"U":{"read":true,"write":true}}"#, #"{"U":{"write":true}}"#, #"{"U":{"read":false,"write":true}}"#,
        #"{"U0":{"read":true}}"#, #"{"0U":{"read":true}}"#, #"{"64f0":{"write":true},"U":{"read":true}}"#,
        #"{"role:A":{"read":true}}"#, #"{"role:A":{"read":false}}"#, #"{"role:AA":{"read":true}}"#,
        #"{"role:B c":{"read":true}}"#, #"{"role:R7":{"read":true},"role:Z":{"write":true}}"#,
        #"{"role:Z":{"read":true}}"#, #"{"role:R7":{"write":true}}"#, #"{"role:\"U":{"read":true}}"#,
        #"{"role:Q\"":{"read":true}}"#, #"{"role:\\":{"read":true}}"#, #"{"role:\\\\":{"read":true}}"#,
        #"{"role:x,\"U\":{\"read\":true":{"write":true}}"#, #"{"role:{\"role:A\":{\"read\":true":{"write":true}}"#,
        #"{"":{"read":true}}"#, #"{"**":{"read":true}}"#, #"{"a b":{"read":true}}"#, #"{"role:":{"read":true}}"#,
        #"{"\u0000":{"read":true}}"#, #"{"\\u002a":{"read":true}}"#, #"{"茶":{"read":true},"U":{"write":true}}"#,
        #"{"!":{"read":true},"*":{"read":true}}"#, #"{"ROLE:A":{"read":true}}"#, #"{"role:A ":{"read":true}}"#,
        #"{"role: \"*":{"read":true}}"#, #"{"role: ":{"write":true},"*":{"read":true}}"#,
    ]

    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("find, count and look-up by ids give what the readers may read, and pages of it") { store in
            let objects = try lists.map { text in
                StoredObject(
                    id: ObjectIDGenerator().next(),
                    createdAt: Timestamp(milliseconds: 1),
                    updatedAt: Timestamp(milliseconds: 1),
                    acl: try text.map { AccessControlList(stored: try json($0).objectValue ?? [:]) },
                    fields: [:]
                )
            }
            let name = try ClassName("Guarded")
            try await store.write { writer in
                try writer.save(ClassSchema(name: name))
                for object in objects { try writer.insert(object, into: name) }
            }
            for readers in try allReaders() {
                let expected = objects.filter { readers.canRead($0.acl) }.map(\.id)
                let query = ObjectQuery(name, readableBy: readers)
                try await store.read { reader in
                    #expect(objects.filter { readers.canRead(stored: ObjectRow($0).acl) }.map(\.id) == expected)
                    #expect(try reader.count(query) == expected.count)
                    var page = query
                    page.page = Page(first: 100)
                    #expect(try reader.rows(page).map(\.id) == expected)
                    page.page = try Page(limit: 2, skip: 1)
                    #expect(try reader.rows(page).map(\.id) == Array(expected.dropFirst().prefix(2)))
                    let found = try reader.rows(
                        Set(objects.map(\.id)),
                        in: name,
                        readableBy: readers,
                        upTo: .max
                    )
                    #expect(Set(found.map(\.id)) == Set(expected))
                }
            }
        }
    ]

    private static func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.replacing("U", with: user).utf8), field: "ACL")
    }

    private static func allReaders() throws -> [Readers] {
        let id = try #require(ObjectID(user))
        let users = roles.map { Readers.subjects(Subjects(user: id, roles: Set($0))) }
        return [.unrestricted, .subjects(.guest)] + users
    }
}
