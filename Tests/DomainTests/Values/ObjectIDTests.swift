import Domain
import Support
import Testing

@Suite struct ObjectIDTests {
    @Test("ids are 24 lower-case hexadecimal digits and begin with the second")
    func form() {
        let id = ObjectIDGenerator { Timestamp(milliseconds: 0x6632_f1b7 * 1000 + 123) }.next().description
        #expect(id.utf8.count == 24)
        #expect(id.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(id.hasPrefix("6632f1b7"))
    }

    @Test("ids of one millisecond still sort in the order they were made")
    func sortsWithinAMillisecond() {
        let generator = ObjectIDGenerator { Timestamp(milliseconds: 1_714_636_800_123) }
        let ids = (0..<1000).map { _ in generator.next() }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 1000)
    }

    @Test("a clock that steps back does not step the ids back")
    func survivesAClockStep() {
        let times = [2_000_000, 1_000_000].map { Timestamp(milliseconds: $0) }
        let calls = Counter()
        let generator = ObjectIDGenerator { times[min(calls.next(), 1)] }
        #expect(generator.next() < generator.next())
    }

    @Test("ids from outside hold letters and digits only", arguments: ["", "a/b", "../x", "a b", "é"])
    func refuses(text: String) {
        #expect(ObjectID(text) == nil)
    }

    @Test(
        "a string in a path that is no id becomes one that no object has",
        arguments: [
            ("a-b_c", "a-b_c"), ("..", "--"), ("a b/'\"\0", "a-b----"), ("é", "--"),
            (String(repeating: "x", count: 5000), String(repeating: "x", count: 65)),
        ]
    )
    func inPath(text: String, expected: String) {
        let id = ObjectID(inPath: text)
        #expect(id.description == expected)
        #expect(ObjectID(id.description) == nil)
    }

    @Test("an id in a path is that id", arguments: ["0", "abcXYZ09", String(repeating: "x", count: 64)])
    func validInPath(text: String) {
        #expect(ObjectID(inPath: text) == ObjectID(text))
    }
}
