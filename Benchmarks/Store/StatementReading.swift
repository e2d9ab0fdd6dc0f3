internal import Domain

/// Measures how long statements of CQL take to read, beside the equal `where` of REST.
enum StatementReading {
    private static let sizes = [128, 1024, 4096]
    private static let rounds = 5
    private static let passes = 300

    static func measure() throws {
        for size in sizes {
            let statement = statement(of: size)
            guard case .select(let selection) = try CQLStatement(parsing: statement, now: .now()),
                let condition = try selection.condition?.json
            else { throw Failure("'\(statement)' is no SELECT with a condition") }
            let json = condition.encoded()
            var own: [Double] = []
            var other: [Double] = []
            for _ in 0..<rounds {
                own.append(try time { try command(of: statement) })
                other.append(try time { try self.condition(of: json) })
            }
            // Of the statement's length on both sides: its JSON is longer.
            let kilobytes = Double(statement.utf8.count) / 1024
            Comparison(
                name: "CQL to a command, \(statement.utf8.count) bytes",
                unit: "us/KB",
                mine: own.median / kilobytes,
                other: other.median / kilobytes,
                otherName: "where"
            ).report()
        }
    }

    /// A SELECT of at most so many bytes.
    private static func statement(of size: Int) -> String {
        var statement = "select title, rank from Item where stars >= 3"
        var number = 0
        while true {
            let term = [
                " and rank != \(number)", " and code != 'c0de5eed\(number)'", " and tags in ('red', 'no. \(number)')",
                " and (price <= \(number).25 or done = true)",
            ][number % 4]
            guard statement.utf8.count + term.utf8.count <= size else { return statement }
            statement += term
            number += 1
        }
    }

    private static func command(of statement: String) throws -> Int {
        try CQLStatement(parsing: statement, now: .now()).commands(limits: QueryLimits(), engine: NoPatterns()).count
    }

    private static func condition(of json: [UInt8]) throws -> Int {
        var parser = ConditionParser(limits: QueryLimits(), engine: NoPatterns())
        return try parser.parse(try JSONValue(parsing: json, field: "where")) == .always ? 0 : 1
    }

    /// Microseconds a call.
    private static func time(_ body: () throws -> Int) throws -> Double {
        let start = ContinuousClock.now
        for _ in 0..<passes where try body() != 1 { throw Failure("a statement was not read") }
        return (ContinuousClock.now - start) / Duration.microseconds(1) / Double(passes)
    }
}

/// The measured statements have no regular expressions.
private struct NoPatterns: PatternEngine {
    func compile(_ text: String, options: String, path: String) throws -> any CompiledPattern {
        throw Failure("there are no expressions here")
    }
}
