import Domain
import Testing

@testable import PostgresStore

/// Names from clients as a part of SQL.
@Suite struct QuotingTests {
    @Test(
        "a quote is doubled, also before a mark that makes one character of both",
        arguments: [("a", "'a'"), ("'", "''''"), ("x'\u{301}y", "'x''\u{301}y'"), ("'\u{200D}'", "'''\u{200D}'''")]
    )
    func text(_ text: String, _ quoted: String) {
        #expect(Array(text.quotedText.unicodeScalars) == Array(quoted.unicodeScalars))
    }

    @Test("so is the quote of a name", arguments: [("a", "\"a\""), ("x\"\u{301}", "\"x\"\"\u{301}\"")])
    func name(_ name: String, _ quoted: String) {
        #expect(Array(name.quotedName.unicodeScalars) == Array(quoted.unicodeScalars))
    }

    @Test(
        "a condition on a member whose name has quotes and marks finds nothing",
        arguments: ["x'\u{301}", "x'\u{301} IS NULL) OR TRUE --", "x\"\u{301}", "x\\\u{301}"]
    )
    func condition(_ name: String) async throws {
        let thing = try ClassName("Thing")
        try await Engine.withStore { store in
            let object = StoredObject(
                id: try #require(ObjectID("a")),
                createdAt: .now(),
                updatedAt: .now(),
                fields: ["p": .object(["x": .integer(1)])]
            )
            try await store.write { writer in
                try writer.save(ClassSchema(name: thing, fields: ["p": FieldDefinition(.object)]))
                try writer.insert(object, into: thing)
            }
            let path = try FieldPath("p.\(name)")
            let count = try await store.read { reader in
                try reader.count(.field(path, .equals(.integer(1))), in: thing)
            }
            #expect(count == 0)
        }
    }
}
