internal import FileClient

/// States of files as lines of a table.
struct ReviewTable {
    /// Whether there is a header, and sizes have units.
    let isForPeople: Bool
    /// Whether the last column is the URL of a preview.
    let showsURLs: Bool
    let style: Style

    private static let header = ["OBJECTID", "VERDICT", "DECIDED BY", "SCORES", "SIZE", "CREATEDAT", "NAME"]

    /// The lines of a page.
    func lines(_ states: [CensorState], showsHeader: Bool) -> [String] {
        let rows = states.map(cells)
        guard isForPeople else { return Table.lines(rows) }
        let lines = Table.lines([ReviewTable.header + (showsURLs ? ["PREVIEW"] : [])] + rows)
        return (showsHeader ? lines.prefix(1).map(style.bold) : []) + lines.dropFirst()
    }

    private func cells(_ state: CensorState) -> [String] {
        let size = state.size.map { isForPeople ? Amount.bytes($0) : "\($0)" }
        let cells = [
            state.objectId, state.censorResult?.rawValue, ReviewTable.decider(state.decidedBy, state.by, state.checker),
            ReviewTable.text(of: state.scores), size, state.createdAt, state.name,
        ]
        return (cells + (showsURLs ? [state.thumbnailURL] : [])).map { cell in
            cell.flatMap { $0.isEmpty ? nil : Terminal.printable($0) } ?? "-"
        }
    }

    /// The person's name or the checker; `nil` without a decision.
    static func decider(_ kind: Decider?, _ person: String?, _ checker: String?) -> String? {
        switch kind {
        case .person: person ?? "person"
        case .machine: checker ?? "machine"
        case nil: nil
        }
    }

    /// `nsfw 0.012, webhook 0.500`; `nil` without scores.
    static func text(of scores: [String: Double]?) -> String? {
        guard let scores, !scores.isEmpty else { return nil }
        return scores.sorted { $0.key < $1.key }.map { "\($0.key) \(threePlaces($0.value))" }.joined(separator: ", ")
    }

    private static func threePlaces(_ score: Double) -> String {
        guard score.isFinite, abs(score) < 1e6 else { return "\(score)" }
        let thousandths = Int((score * 1000).rounded())
        let fraction = "\(abs(thousandths) % 1000)"
        return "\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1000)."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
