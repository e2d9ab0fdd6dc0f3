/// A report as a page that needs no other file and no script.
struct HTMLReport: ReportForm {
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
        try file.write(
            """
            <!DOCTYPE html>
            <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Migration report</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
            table { border-collapse: collapse; margin: 1rem 0; width: 100% }
            th, td { border-bottom: 1px solid #ccc; padding: .3rem .6rem; text-align: left; overflow-wrap: anywhere }
            td.n { text-align: right; white-space: nowrap }
            </style>
            <h1>Migration report</h1>
            <p>\(escaped(identity.source))<br>to \(escaped(identity.server)), app \(escaped(identity.app))<br>
            \(escaped(time)), \(Int(seconds.rounded())) s</p>
            <table><tr><th>Kind<th>State<th>Items<th>Bytes</tr>

            """
        )
        for (kind, states) in totals.sorted(by: { $0.key < $1.key }) {
            for state in ItemState.allCases {
                guard let totals = states[state] else { continue }
                try file.write(
                    "<tr><td>\(escaped(kind))<td>\(state.name)<td class=n>\(totals.count)<td class=n>\(totals.bytes)</tr>\n"
                )
            }
        }
        try file.write("</table>\n")
    }

    func beginList(_ name: String) throws {
        try file.write("<h2>\(name.prefix(1).uppercased() + name.dropFirst())</h2>\n<table>\n")
    }

    func add(_ item: FailedItem, isFirst: Bool) throws {
        if isFirst { try file.write("<tr><th>Kind<th>Item<th>Reason</tr>\n") }
        try file.write("<tr><td>\(escaped(item.kind))<td>\(escaped(item.name))<td>\(escaped(item.reason))</tr>\n")
    }

    func endList(count: Int) throws { try file.write(count == 0 ? "</table>\n<p>None.</p>\n" : "</table>\n") }

    func end(isVerified: Bool) throws {
        try file.write(isVerified ? "<p>Everything was compared with the server.</p>\n" : "")
        try file.write("</html>\n")
    }

    /// The text with the characters that HTML gives a meaning replaced.
    private func escaped(_ text: String) -> String {
        // By scalars: a quote that a combining mark follows is another character for Swift, but a quote for HTML.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
