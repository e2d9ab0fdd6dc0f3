internal import Domain

/// The form of `lc.json.3` (protocol/data 8.5): flat members, and `msg` holds objects.
extension RealtimeCommand {
    /// The maximum number of values in a client's command; commands have few.
    private static let maxValues = 1000

    init(json text: [UInt8]) throws {
        guard
            let json = try? JSONValue(parsing: text, field: "The command", values: RealtimeCommand.maxValues),
            let members = json.objectValue
        else { throw MalformedCommand() }
        guard !members.isEmpty else {
            self = .keepAlive
            return
        }
        self.init(
            try members.value("cmd") { $0.stringValue }.flatMap(Kind.init(name:)),
            appID: try members.value("appId") { $0.stringValue },
            service: try members.value("service") { $0.integerValue.flatMap { Int32(exactly: $0) } },
            installationID: try members.value("installationId") { $0.stringValue },
            number: try members.value("i") { $0.integerValue.flatMap { Int32(exactly: $0) } }
        )
    }

    var json: [UInt8] {
        var members: [[UInt8]] = []
        func add(_ name: String, _ value: JSONValue?) {
            guard let value else { return }
            members.append(Array("\"\(name)\":".utf8) + value.encoded())
        }
        add("cmd", kind.map { .string($0.name) })
        add("appId", appID.map { .string($0) })
        add("service", service.map { .integer(Int64($0)) })
        add("installationId", installationID.map { .string($0) })
        add("i", number.map { .integer(Int64($0)) })
        if !messages.isEmpty {
            add("ids", .array(messages.map { .string($0.id) }))
            members.append(Array(#""msg":["#.utf8) + messages.map(\.json).joined(separator: ",".utf8) + "]".utf8)
        }
        if let failure {
            members.append(
                Array(#""error":{"code":\#(failure.code),"detail":"#.utf8) + JSONValue.string(failure.reason).encoded()
                    + Array("}".utf8)
            )
        }
        return Array("{".utf8) + members.joined(separator: ",".utf8) + "}".utf8
    }
}

extension [String: JSONValue] {
    /// A member in its type; `nil` if it is missing or null.
    fileprivate func value<Member>(_ name: String, _ read: (JSONValue) -> Member?) throws -> Member? {
        guard let json = self[name], json != .null else { return nil }
        guard let value = read(json) else { throw MalformedCommand() }
        return value
    }
}
