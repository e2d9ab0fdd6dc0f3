package import Domain
internal import FoundationEssentials
internal import PCREPatterns
internal import Testing

/// The table of CQL statements, each with the request of REST that does the same, or with its error.
package struct CQLCase: Sendable, CustomTestStringConvertible {
    package let statement: String
    private let values: [JSONValue]
    private let json: [String: JSONValue]
    private static let engine = PCREEngine()
    /// The value of `current_timestamp()`.
    private static let now = Timestamp(iso8601: "2024-06-01T00:00:00.000Z") ?? .now()

    package var testDescription: String { String(statement.prefix(100)) }

    /// The cases of `Cases/cql.json`.
    package static let all: [CQLCase] = {
        do {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases/cql.json")
            let json = try JSONValue(parsing: Array(try Data(contentsOf: file)), field: "cql.json")
            return (json.arrayValue ?? []).compactMap(\.objectValue).map(CQLCase.init)
        } catch {
            Issue.record(error)
            return []
        }
    }()

    /// The statements that find objects.
    package static let searches = all.filter { $0.json["select"] != nil }

    private init(_ json: [String: JSONValue]) {
        statement = json["cql"]?.stringValue ?? ""
        values = json["values"]?.arrayValue ?? []
        self.json = json
    }

    private func parsed() throws -> CQLStatement {
        try CQLStatement(parsing: statement, values: values, now: CQLCase.now)
    }

    private func commands() throws -> [ObjectCommand] {
        try parsed().commands(limits: QueryLimits(), engine: CQLCase.engine)
    }

    /// Checks that the statement is read as the table says.
    package func checkParsing() throws {
        if let message = json["error"]?.stringValue {
            let error = #expect(throws: ServiceError.self) { try parsed() }
            #expect(error?.code == .cqlSyntax)
            #expect(error?.message.hasPrefix("CQL syntax error.Detail: ") == true)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        } else if let code = json["refused"]?.stringValue {
            let error = #expect(throws: ServiceError.self) { try commands() }
            #expect(error?.code.description == code)
            #expect(error?.message.contains(json["message"]?.stringValue ?? "") != false, "\(error?.message ?? "")")
        } else {
            try checkCommands()
        }
    }

    private func checkCommands() throws {
        let commands = try commands()
        if let select = json["select"]?.objectValue {
            let command = try #require(commands.first)
            guard case .find(let search) = command.action, case .select(let selection) = try parsed() else {
                Issue.record("no search")
                return
            }
            #expect(command.className.description == select["class"]?.stringValue)
            #expect(search.condition == (try condition(select["where"]) ?? .always))
            #expect(search.order == (try SortKey.list(select["order"]?.stringValue ?? "")))
            #expect(search.page == (try page(select)))
            #expect(search.counts == (select["count"] != nil))
            #expect(selection.keys == select["keys"]?.stringValue ?? "")
            #expect(selection.includes.joined(separator: ",") == select["include"]?.stringValue ?? "")
        } else {
            try checkChange(commands)
        }
    }

    private func checkChange(_ commands: [ObjectCommand]) throws {
        switch (try parsed(), commands.first?.action) {
        case (.insert(let name, let rows), .create):
            let insert = try #require(json["insert"]?.objectValue)
            #expect(name == insert["class"]?.stringValue)
            #expect(rows.map(JSONValue.object) == insert["rows"]?.arrayValue)
            #expect(commands.count == rows.count)
        case (.update(let name, _, let values, _), .update(let id, _, where: let condition, _)):
            let update = try #require(json["update"]?.objectValue)
            #expect(name == update["class"]?.stringValue)
            #expect(id.description == update["id"]?.stringValue)
            #expect(.object(values) == update["body"])
            #expect(condition == (try self.condition(update["where"])))
        case (.delete(let name, _, _), .delete(let ids, where: let condition)):
            let delete = try #require(json["delete"]?.objectValue)
            #expect(name == delete["class"]?.stringValue)
            #expect(ids.map(\.description) == [delete["id"]?.stringValue])
            #expect(condition == (try self.condition(delete["where"])))
        default:
            Issue.record("another statement")
        }
    }

    private func condition(_ json: JSONValue?) throws -> Condition? {
        guard let json else { return nil }
        var parser = ConditionParser(limits: QueryLimits(), engine: CQLCase.engine, knowsNegation: true)
        return try parser.parse(json)
    }

    private func page(_ json: [String: JSONValue]) throws -> Page {
        try Page(
            limit: (json["limit"]?.integerValue).map { Int($0) },
            skip: (json["skip"]?.integerValue).map { Int($0) }
        )
    }

    /// The equal query of REST.
    private func search() throws -> ObjectCommand {
        let select = try #require(json["select"]?.objectValue)
        let search = ObjectCommand.Search(
            where: try condition(select["where"]) ?? .always,
            order: try SortKey.list(select["order"]?.stringValue ?? ""),
            page: try page(select),
            counts: select["count"] != nil
        )
        let view = ObjectView(
            include: select["include"]?.stringValue ?? "",
            keys: select["keys"]?.stringValue ?? "",
            returnsACL: false
        )
        return ObjectCommand(try ClassName(select["class"]?.stringValue ?? ""), .find(search), view: view)
    }

    /// Checks that each search finds the same as its equal query of REST, as a guest and with the master key.
    package static func checkSearches(_ store: any ObjectStore) async throws {
        let settings = ObjectSettings(
            files: FilePresentation(publicURL: "https://f", bucket: "b"),
            accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
        )
        let service = ObjectService(store: store, settings: settings)
        let app = try #require(AppID("app"))
        try await CQLSample.fill(service, as: Caller(app: app, isMaster: true))
        var successes = 0
        for one in searches {
            var sizes: [Int] = []
            for isMaster in [false, true] {
                let caller = Caller(app: app, isMaster: isMaster)
                let reply = try await service.perform(try one.parsed(), engine: engine, as: caller)
                guard case .listing(let found) = reply.content else {
                    Issue.record("no listing")
                    return
                }
                let expected = try #require(try await service.perform(try one.search(), as: caller).listing)
                #expect(found.objects.map(\.json) == expected.objects.map(\.json), "\(one.statement)")
                #expect(found.count == expected.count, "\(one.statement)")
                sizes.append(found.objects.count)
            }
            if sizes[1] > 0 { successes += 1 }
        }
        // A comparison of empty results would say little.
        #expect(successes * 3 > searches.count * 2, "\(successes) of \(searches.count)")
    }
}
