internal import FileClient

/// A report as one JSON object:
/// `{"source":…,"server":…,"app":…,"time":…,"seconds":…,"totals":{"file":{"done":{"count":…,"bytes":…}}},"failures":[…]}`.
struct JSONReport: ReportForm {
    private let file: ReportFile

    init(_ file: ReportFile) {
        self.file = file
    }

    func begin(
        _ identity: JournalIdentity,
        seconds: Double,
        time: String,
        _ totals: [String: [ItemState: ItemTotals]]
    ) throws {
        let kinds = totals.mapValues { states in
            JSON.object(
                Dictionary(
                    states.map { state, totals in
                        let members = ["count": JSON.integer(Int64(totals.count)), "bytes": .integer(totals.bytes)]
                        return (state.name, JSON.object(members))
                    }
                ) { first, _ in first }
            )
        }
        let head = JSON.object([
            "source": .string(identity.source), "server": .string(identity.server), "app": .string(identity.app),
            "time": .string(time), "seconds": .number(seconds.rounded()), "totals": .object(kinds),
        ])
        // The lists follow as members of the same object.
        try file.write(String(head.description.dropLast()))
    }

    func beginList(_ name: String) throws { try file.write(",\n\(JSON.string(name)):[") }

    func add(_ item: FailedItem, isFirst: Bool) throws {
        let row = JSON.object([
            "kind": .string(item.kind), "name": .string(item.name), "reason": .string(item.reason),
            "state": .string(item.state.name),
        ])
        try file.write((isFirst ? "\n" : ",\n") + row.description)
    }

    func endList(count: Int) throws { try file.write("]") }

    func end(isVerified: Bool) throws { try file.write(",\"verified\":\(isVerified)}\n") }
}
