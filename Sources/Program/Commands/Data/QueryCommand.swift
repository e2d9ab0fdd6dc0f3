internal import ArgumentParser
internal import FileClient

struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Perform a statement of CQL: SELECT, INSERT, UPDATE or DELETE.",
        discussion: """
            Each '?' of the statement takes the next value: JSON, or else the text itself. A SELECT returns at most 1000 \
            objects; 'limit 1000,1000' skips the first thousand.

            Examples:
              lcfile query 'select * from Task where done = false limit 20'
              lcfile query 'select count(*) from _User where createdAt > ?' \\
                '{"__type":"Date","iso":"2026-01-01T00:00:00Z"}'
              lcfile query 'select title from Task where title like ?' 'a%' --json \\
                | jq -r .title
              lcfile query 'select * from Task where n > 3 order by -n' --explain
              lcfile query "update Task set done = true where objectId = ?" \\
                6b017ba12dd266ba0b930c5d
            """
    )

    @Argument(help: "The statement.")
    var statement: String

    @Argument(help: "The values of the statement's placeholders.")
    var values: [String] = []

    @OptionGroup
    var printing: JSONOption

    @Flag(help: "Print the condition, the SQL and the database's plan of a SELECT instead of its objects.")
    var explain = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard !explain || FileClient.isSelect(statement) else { throw ValidationError("--explain takes a SELECT.") }
    }

    func run() async throws {
        try await server.connect { client in
            guard !explain else {
                let explanation = try await client.explainCloudQuery(statement, values.map(QueryCommand.value))
                guard !printing.isOn else { return try JSONLines.print([explanation.json]) }
                for line in explanation.lines { Terminal.printLine(line) }
                return
            }
            let answer = try await client.cloudQuery(statement, values.map(QueryCommand.value))
            guard !printing.isOn else { return try JSONLines.print(answer.results) }
            let table = ObjectTable(isForPeople: Terminal.isOutput, style: .output)
            for line in table.lines(answer.results) { Terminal.printLine(line) }
            if let count = answer.count { Terminal.printLine("count \(count)") }
        }
    }

    /// The value of a placeholder: JSON, or else the text itself.
    static func value(of text: String) -> JSON {
        (try? JSON(parsing: text)) ?? .string(text)
    }
}

extension CQLExplanation {
    /// The explanation for people.
    var lines: [String] {
        var lines = ["where \(Terminal.printable(condition.description))"]
        for query in queries {
            lines += ["", "\(query.kind) \(Terminal.printable(query.className))"]
            lines += ["  SQL   \(Terminal.printable(query.sql))"]
            lines += query.plan.enumerated().map { index, step in
                (index == 0 ? "  plan  " : "        ") + Terminal.printable(step)
            }
        }
        return lines
    }
}
