import Domain
import Testing

@testable import PostgresStore

/// Statements on one connection.
@Suite struct ConnectionTests {
    private struct Refused: Error {}

    private func withConnection(options: String = "", _ body: (PostgresConnection) throws -> Void) async throws {
        try await Engine.withAddress { plain in
            let sign = plain.url.contains("?") ? "&" : "?"
            let url = options.isEmpty ? plain.url : "\(plain.url)\(sign)options=\(options)"
            try body(try PostgresConnection(PostgresAddress(url: url, schema: plain.schema)))
        }
    }

    private static let numbers: SQL = "SELECT number FROM generate_series(1, 50) AS number"

    @Test("rows are passed one at a time, in their order, until the body wants no more")
    func rows() async throws {
        try await withConnection { connection in
            for wanted in [1, 7, 50] {
                var numbers: [String] = []
                try connection.run(ConnectionTests.numbers, within: nil) { result, row in
                    #expect(result.count == 1)
                    numbers.append(result.text(row, 0) ?? "")
                    return numbers.count < wanted
                }
                #expect(numbers == (1...wanted).map { "\($0)" })
                // Nothing of the other rows is left on the connection.
                #expect(try connection.run("SELECT 'next'").text(0, 0) == "next")
            }
        }
    }

    @Test("a body that throws gets no further row, and leaves the connection usable")
    func refusal() async throws {
        try await withConnection { connection in
            var count = 0
            #expect(throws: Refused.self) {
                try connection.run(ConnectionTests.numbers, within: nil) { _, _ in
                    count += 1
                    throw Refused()
                }
            }
            #expect(count == 1)
            let next = try connection.run("SELECT 'next'").text(0, 0)
            #expect(next == "next")
        }
    }

    @Test("a statement that fails behind its first rows throws, and so does one that does not run")
    func failures() async throws {
        try await withConnection { connection in
            var numbers: [String] = []
            #expect(throws: PostgresError.self) {
                try connection.run("SELECT 6 / (3 - n) FROM generate_series(1, 9) AS n", within: nil) { result, row in
                    numbers.append(result.text(row, 0) ?? "")
                    return true
                }
            }
            #expect(numbers == ["3", "6"])
            connection.later("SELECT 1 / 0")
            #expect(throws: PostgresError.self) {
                try connection.run(ConnectionTests.numbers, within: nil) { _, _ in
                    Issue.record("a row of a statement behind one that failed")
                    return true
                }
            }
            let next = try connection.run("SELECT 'next'").text(0, 0)
            #expect(next == "next")
        }
    }

    @Test("a statement is cancelled once its budget is spent, and none that follows it")
    func cancellation() async throws {
        try await withConnection { connection in
            for _ in 0..<10 {
                let budget = QueryBudget(milliseconds: 20, refusal: Refused())
                let failure = #expect(throws: PostgresError.self) {
                    try budget.counting { _ = try connection.run("SELECT pg_sleep(600)", within: budget) }
                }
                #expect(failure?.state == PostgresError.cancelled)
                let next = try connection.run("SELECT 'next' FROM pg_sleep(0.005)").text(0, 0)
                #expect(next == "next")
            }
            #expect(!connection.isLost)
        }
    }

    @Test(
        "time limits of the role or of the database do not hold",
        arguments: [
            "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout",
        ]
    )
    func timeLimits(setting: String) async throws {
        try await withConnection(options: "-c%20\(setting)%3D300") { connection in
            let others = ["statement_timeout": "0", "idle_session_timeout": "0", "lock_timeout": "10s"]
            let expected = others[setting] ?? "30s"
            #expect(try connection.run("SELECT current_setting(\(setting))").text(0, 0) == expected)
            try connection.run("SELECT pg_sleep(0.4)")
        }
    }

    @Test("a backslash in a constant is itself, also if the database's default makes it an escape")
    func backslashes() async throws {
        try await withConnection(options: "-c%20standard_conforming_strings%3Doff") { connection in
            let text = #"\' IS NULL OR TRUE --"#
            let found = try connection.run(SQL(text: "SELECT \(text.quotedText)")).text(0, 0)
            #expect(found == text)
        }
    }

    @Test("two statements that differ in the Unicode normal form of a name are two statements")
    func spellings() async throws {
        try await withConnection { connection in
            for _ in 0..<2 {
                for text in ["\u{e9}", "e\u{301}"] {
                    let bytes = try connection.run(SQL(text: "SELECT \(text.quotedText)")).bytes(0, 0)
                    #expect(bytes == Array(text.utf8))
                }
            }
        }
    }
}
