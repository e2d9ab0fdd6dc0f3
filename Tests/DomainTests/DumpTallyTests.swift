import Domain
import Testing

@Suite struct DumpTallyTests {
    private struct Items: DumpSource {
        let items: [DumpItem]

        func forEachItem(_ body: (DumpItem) throws -> Void) throws {
            for item in items { try body(item) }
        }
    }

    private static func row(
        _ number: Int64,
        _ id: String = "a",
        body: String = "{}",
        acl: String? = nil
    ) throws -> DumpItem {
        .row(
            number: number,
            ObjectRow(
                id: try #require(ObjectID(id)),
                createdAt: Timestamp(milliseconds: 1),
                updatedAt: Timestamp(milliseconds: 2),
                acl: acl.map { Array($0.utf8) },
                body: Array(body.utf8)
            )
        )
    }

    private static func member(_ owner: String, _ member: String) throws -> DumpItem {
        .membership(
            field: "f",
            Membership(owner: try #require(ObjectID(owner)), member: try #require(ObjectID(member)))
        )
    }

    private func tally(_ items: [DumpItem]) throws -> DumpTally { try DumpTally(of: Items(items: items)) }

    private func begin(_ name: String, schema: String = "{}") throws -> DumpItem {
        .begin(try ClassName(name), schema: Array(schema.utf8))
    }

    @Test("a dump equals itself, also beside further classes without items")
    func equal() throws {
        let items = try [
            begin("A"), Self.row(1), Self.row(2, "b", acl: "{}"), Self.member("a", "b"), .counter(field: "n", last: 3),
        ]
        try tally(items).requireEqual(tally(items))
        try tally(items).requireEqual(tally(items + [begin("B")]))
        #expect(try tally(items).classes[ClassName("A")]?.memberships == 1)
    }

    @Test("every difference is found, and its class named")
    func differences() throws {
        let items = try [
            begin("A"), Self.row(1), Self.row(2, "b"), Self.member("a", "b"), .counter(field: "n", last: 3),
        ]
        let others: [[DumpItem]] = try [
            [begin("A", schema: "[]")] + items[1...], [items[0], items[2], items[1]] + items[3...],
            [items[0], Self.row(3), items[2]] + items[3...], [items[0], Self.row(1, "c"), items[2]] + items[3...],
            [items[0], Self.row(1, body: "[]"), items[2]] + items[3...],
            [items[0], Self.row(1, acl: ""), items[2]] + items[3...], Array(items[..<3]) + [items[4]],
            Array(items[..<3]) + [Self.member("b", "a"), items[4]], Array(items[..<4]),
            Array(items[..<4]) + [.counter(field: "n", last: 4)], Array(items.dropLast(3)), [],
        ]
        for other in others {
            let failure = #expect(throws: OpenFailure.self) { try tally(items).requireEqual(tally(other)) }
            #expect(failure?.message.contains("A") == true)
        }
        let failure = #expect(throws: OpenFailure.self) {
            try tally(items).requireEqual(tally(items + [begin("B"), Self.row(1)]))
        }
        #expect(failure?.message == "has objects of B, which the original does not have")
    }
}
