internal import FileClient
internal import FoundationEssentials

/// What a migration has moved, what failed and what differs, as a file for people (HTML) or programs (JSON).
///
/// The lists are written page by page, so that memory does not grow with them.
package struct MigrationReport: Sendable {
    /// The forms of a report.
    package enum Format: Sendable, Hashable {
        /// A page for a browser.
        case html
        /// One JSON object.
        case json

        /// The format for a file name: `.html` or `.json`; `nil` for other names.
        package init?(path: String) {
            let name = path.lowercased()
            guard name.hasSuffix(".html") || name.hasSuffix(".htm") || name.hasSuffix(".json") else { return nil }
            self = name.hasSuffix(".json") ? .json : .html
        }
    }

    private let journal: Journal
    private let identity: JournalIdentity
    private let seconds: Double
    private let isVerified: Bool

    /// Creates a report of what a journal contains now.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - identity: What was migrated where.
    ///   - seconds: The duration of this run.
    ///   - isVerified: Whether this run has compared everything with the server.
    package init(_ journal: Journal, of identity: JournalIdentity, seconds: Double, isVerified: Bool) {
        self.journal = journal
        self.identity = identity
        self.seconds = seconds
        self.isVerified = isVerified
    }

    /// Writes the report; a file that exists is replaced when the new one is complete.
    ///
    /// - Throws: ``MigrationError`` if the file cannot be written.
    package func write(to path: String, as format: Format) async throws {
        let file = try ReportFile(path)
        let totals = try await journal.totals()
        switch format {
        case .json: try await write(JSONReport(file), totals)
        case .html: try await write(HTMLReport(file), totals)
        }
        try file.finish()
    }

    private func write(_ form: some ReportForm, _ totals: [String: [ItemState: ItemTotals]]) async throws {
        try form.begin(identity, seconds: seconds, time: Date().formatted(.iso8601), totals)
        try await writeList("failures", form) { try await journal.failures(1000, after: $0) }
        if isVerified { try await writeList("differences", form) { try await journal.differences(1000, after: $0) } }
        try form.end(isVerified: isVerified)
    }

    private func writeList(
        _ name: String,
        _ form: some ReportForm,
        _ page: (_ last: Int64) async throws -> [(id: Int64, item: FailedItem)]
    ) async throws {
        try form.beginList(name)
        var last: Int64 = 0
        var count = 0
        while let rows = Optional(try await page(last)), let end = rows.last {
            for row in rows {
                try form.add(row.item, isFirst: count == 0)
                count += 1
            }
            last = end.id
        }
        try form.endList(count: count)
    }
}

/// How the parts of a report are written.
protocol ReportForm {
    func begin(
        _ identity: JournalIdentity,
        seconds: Double,
        time: String,
        _ totals: [String: [ItemState: ItemTotals]]
    ) throws
    func beginList(_ name: String) throws
    func add(_ item: FailedItem, isFirst: Bool) throws
    func endList(count: Int) throws
    func end(isVerified: Bool) throws
}

extension ItemState {
    /// The name of the state in reports.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .done: "done"
        case .failed: "failed"
        case .changed: "changed"
        }
    }
}
