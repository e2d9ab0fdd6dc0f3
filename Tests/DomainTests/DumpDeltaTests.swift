import Domain
import Testing

@Suite struct DumpDeltaTests {
    /// Classes with their items; what was called is written down.
    private final class Recorder: DeltaTarget {
        private(set) var calls: [String] = []
        private let classes: [ClassName: [DumpItem]]
        private var items: ArraySlice<DumpItem> = []

        init(_ classes: [ClassName: [DumpItem]]) {
            self.classes = classes
        }

        func begin(_ name: ClassName, schema: [UInt8]) {
            calls.append("begin \(name)")
            items = (classes[name] ?? [])[...]
        }

        func next() -> DumpItem? { items.popFirst() }

        func remove(_ item: DumpItem) { calls.append("-\(Self.text(item))") }

        func add(_ item: DumpItem) { calls.append("+\(Self.text(item))") }

        func end() {
            #expect(items.isEmpty, "the class ended before its last item")
            calls.append("end")
        }

        private static func text(_ item: DumpItem) -> String {
            switch item {
            case .begin: "begin"
            case .row(let number, let row): "\(number)\(String(decoding: row.body, as: UTF8.self))"
            case .membership(let field, let membership): "\(field):\(membership.owner)>\(membership.member)"
            case .counter(let field, let last): "\(field)=\(last)"
            }
        }
    }

    private static func row(
        _ number: Int64,
        _ body: String = "a",
        id: String = "id",
        created: Int64 = 1,
        updated: Int64 = 2,
        acl: String? = nil
    ) throws -> DumpItem {
        .row(
            number: number,
            ObjectRow(
                id: try #require(ObjectID(id)),
                createdAt: Timestamp(milliseconds: created),
                updatedAt: Timestamp(milliseconds: updated),
                acl: acl.map { Array($0.utf8) },
                body: Array(body.utf8)
            )
        )
    }

    private static func member(_ owner: String, _ member: String, _ field: String = "f") throws -> DumpItem {
        .membership(
            field: field,
            Membership(owner: try #require(ObjectID(owner)), member: try #require(ObjectID(member)))
        )
    }

    /// The calls for one class that has some items and gets others.
    private func calls(from former: [DumpItem], to new: [DumpItem]) throws -> [String] {
        let name = try ClassName("A")
        let recorder = Recorder([name: former])
        var delta = DumpDelta(recorder)
        try delta.add(.begin(name, schema: []))
        for item in new { try delta.add(item) }
        try delta.end()
        #expect(recorder.calls.first == "begin A" && recorder.calls.last == "end")
        return Array(recorder.calls.dropFirst().dropLast())
    }

    @Test("equal items are left alone")
    func equal() throws {
        let items = try [
            Self.row(-5), Self.row(1, acl: "{}"), Self.row(7), Self.member("a", "b"), .counter(field: "n", last: 3),
        ]
        #expect(try calls(from: items, to: items) == [])
    }

    @Test("items before, between and after the former ones are added, and those that are gone are removed")
    func places() throws {
        let (one, two, three) = (try Self.row(1), try Self.row(2), try Self.row(3))
        #expect(try calls(from: [], to: [one, two]) == ["+1a", "+2a"])
        #expect(try calls(from: [one, two], to: []) == ["-1a", "-2a"])
        #expect(try calls(from: [two], to: [one, two, three]) == ["+1a", "+3a"])
        #expect(try calls(from: [one, two, three], to: [two]) == ["-1a", "-3a"])
        #expect(try calls(from: [one, three], to: [two]) == ["-1a", "+2a", "-3a"])
    }

    @Test("a row that differs in any value is removed, and added again")
    func changed() throws {
        let former = try Self.row(1)
        for new in try [
            Self.row(1, "b"), Self.row(1, id: "other"), Self.row(1, created: 0), Self.row(1, updated: 3),
            Self.row(1, acl: ""),
        ] {
            let calls = try calls(from: [former], to: [new])
            #expect(calls.count == 2 && calls.first == "-1a" && calls.last?.hasPrefix("+1") == true)
        }
    }

    @Test("memberships are in the order of field, owner and member by bytes, behind the rows")
    func memberships() throws {
        // By Unicode's rules, é of two scalars would equal é of one.
        let fields = ["B", "a", "e\u{301}", "\u{e9}"]
        let items = try fields.map { try Self.member("o", "m", $0) }
        for index in items.indices {
            var fewer = items
            fewer.remove(at: index)
            #expect(try calls(from: fewer, to: items) == ["+\(fields[index]):o>m"])
            #expect(try calls(from: items, to: fewer) == ["-\(fields[index]):o>m"])
        }
        let (row, member) = (try Self.row(9), try Self.member("a", "b"))
        #expect(try calls(from: [member], to: [row]) == ["+9a", "-f:a>b"])
        #expect(try calls(from: [row], to: [member]) == ["-9a", "+f:a>b"])
        let (first, second) = (try Self.member("a", "z"), try Self.member("b", "a"))
        #expect(try calls(from: [second], to: [first, second]) == ["+f:a>z"])
    }

    @Test("a counter with another last number is replaced")
    func counters() throws {
        let former: [DumpItem] = [.counter(field: "a", last: 1), .counter(field: "n", last: 1)]
        let new: [DumpItem] = [.counter(field: "a", last: 1), .counter(field: "n", last: 2)]
        #expect(try calls(from: former, to: new) == ["-n=1", "+n=2"])
        #expect(try calls(from: former, to: [try Self.member("a", "b")] + former) == ["+f:a>b"])
    }

    @Test("each class ends before the next one begins; classes that the dump does not have stay")
    func classes() throws {
        let (a, b, c) = (try ClassName("A"), try ClassName("B"), try ClassName("C"))
        let recorder = Recorder([a: [try Self.row(1)], b: [try Self.row(2)]])
        var delta = DumpDelta(recorder)
        try delta.add(.begin(a, schema: []))
        try delta.add(.begin(c, schema: []))
        try delta.add(Self.row(3))
        try delta.end()
        #expect(recorder.calls == ["begin A", "-1a", "end", "begin C", "+3a", "end"])
    }
}
