import Domain
import FoundationEssentials
import PCREPatterns
import Support
import Testing

/// Damaged and random statements: each gives commands or an error of the service, and soon.
///
/// `FUZZ=<count>` in the environment sets the number of statements of each random test.
@Suite(.timeLimit(.minutes(60))) struct CQLFuzzTests {
    private static let count = ProcessInfo.processInfo.environment["FUZZ"].flatMap { Int($0) } ?? 4000

    /// Parses and compiles; the only errors are those for clients, and those of the parser tell the place.
    private func check(_ text: String) {
        do {
            let values: [JSONValue] = [.integer(1), "x", .array([.integer(1), "y"]), ["$gt": .integer(1)], .null]
            let statement = try CQLStatement(parsing: text, values: values, now: .now())
            _ = try statement.commands(limits: QueryLimits(), engine: PCREEngine())
        } catch let error as ServiceError {
            #expect(error.code != .internalFailure, "\(text)")
            guard error.code == .cqlSyntax, text.utf8.count <= 4096 else { return }
            #expect(error.message.contains("Parse error at line "), "\(text)")
        } catch {
            Issue.record("\(text): \(error)")
        }
    }

    @Test("statements of the table with bytes removed, repeated, exchanged or replaced", arguments: [UInt64(1), 2])
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<CQLFuzzTests.count {
            var bytes = Array(try #require(CQLCase.all.randomElement(using: &generator)).statement.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(bytes[place], at: place)
                case 2: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
                default: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("random sequences of the words of the language", arguments: [UInt64(3), 4])
    func words(seed: UInt64) throws {
        let words = [
            "select", "*", "from", "Task", "where", "limit", "order", "by", "and", "or", "(", ")", "not", "in", "like",
            "regexp", "is", "exists", "all", "size", "near", "within", "related", "to", "insert", "into", "values",
            "update",
            "set", "delete", "objectId", "=", "!=", "<", ">=", ",", "?", "[", "]", "{", "}", ":", "'a'", "\"b\"", "1",
            "-2.5",
            "true", "null", "date", "pointer", "geopoint", "op", "count", "include", "asc", "max", "km", "n", "a.b",
            "名",
        ]
        let beginnings = ["", "select * from Task where ", "update Task set n=1 where ", "insert into Task(n) values("]
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<CQLFuzzTests.count {
            var text = try #require(beginnings.randomElement(using: &generator))
            for _ in 0..<Int.random(in: 0...25, using: &generator) {
                text += try #require(words.randomElement(using: &generator)) + " "
            }
            check(text)
        }
    }

    @Test(
        "the longest statements of one repeated part take time in proportion to their length",
        arguments: [
            "(", "[", "{", "{a:", "'", "''", "\\", "'\\", "a", "a.", ".", "1", "1e", "-", "?", "? ", ",", "n=1 and ",
            "n=1 or ", "(n=1 or ", "n in (", "not ", "\n", "中", "\u{0}", "pointer(", "n=[",
            "select * from a where n in (",
        ]
    )
    func long(part: String) {
        for beginning in ["", "select * from Task where ", "select * from Task where n=", "select "] {
            let count = (4096 - beginning.utf8.count) / part.utf8.count
            let clock = ContinuousClock()
            let time = clock.measure { check(beginning + String(repeating: part, count: count)) }
            // A debug build needs some milliseconds, on a busy machine seconds; a parser that goes back, minutes.
            #expect(time < .seconds(60))
        }
    }
}
