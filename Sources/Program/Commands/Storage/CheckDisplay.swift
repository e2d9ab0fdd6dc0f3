internal import FileClient
internal import Storage
internal import Synchronization

/// Shows findings as they come, the progress of a check, and its result.
final class CheckDisplay: Sendable {
    /// The exit code if damage remains, as of an incomplete backup.
    static let damaged: Int32 = 65

    private let isJSON: Bool
    private let progress = TransferProgress(files: 0, size: nil)
    private let bar: ProgressBar
    /// The files and bytes of all apps so far.
    private let expected = Mutex((files: 0, bytes: Int64(0)))

    /// - Parameter isJSON: Whether lines are JSON.
    init(isJSON: Bool) {
        self.isJSON = isJSON
        bar = ProgressBar(progress, isShown: true)
    }

    /// Runs a check and shows what it finds.
    func show(_ check: (CheckObserver) async throws -> CheckSummary) async throws -> CheckSummary {
        let observer = CheckObserver(
            found: { [self] in bar.printLine(isJSON ? CheckDisplay.json($0).description : CheckDisplay.line($0)) },
            expect: { [self] in expect($0, $1) },
            checked: { [progress] files, bytes in progress.pass(files: files, bytes: bytes) },
            step: { [progress] name in
                progress.drop(0)
                progress.begin(0, name: name)
            }
        )
        return try await bar.show { try await check(observer) }
    }

    private func expect(_ files: Int, _ bytes: Int64) {
        let sum = expected.withLock { sum in
            sum = (sum.files + files, sum.bytes + bytes)
            return sum
        }
        progress.expect(files: sum.files, size: sum.bytes)
    }

    /// Prints the result.
    func end(with summary: CheckSummary) {
        bar.end()
        Terminal.printLine(isJSON ? CheckDisplay.json(summary).description : CheckDisplay.text(summary))
    }

    /// The line of a finding: "damaged-blob: app: _File/5f… has a blob that …".
    static func line(_ finding: CheckFinding) -> String {
        let repair = finding.repair.map { " [\($0)]" } ?? ""
        return Terminal.printable("\(finding.kind): \(finding.app): \(finding.subject) \(finding.detail)\(repair)")
    }

    /// The object of a finding.
    static func json(_ finding: CheckFinding) -> JSON {
        var members: [String: JSON] = [
            "app": .string(finding.app), "kind": .string(finding.kind), "damage": .bool(finding.isDamage),
            "subject": .string(finding.subject), "detail": .string(finding.detail),
        ]
        members["repair"] = finding.repair.map(JSON.string)
        return .object(members)
    }

    /// The last line for people.
    static func text(_ summary: CheckSummary) -> String {
        let parts = [
            Amount.count(summary.apps, "app"), Amount.count(summary.files, "file"), Amount.bytes(summary.bytes),
            Amount.count(summary.rows, "row"),
        ]
        var text = "Checked \(parts.joined(separator: ", "))"
        if summary.readFiles > 0 {
            text += "; read \(Amount.count(summary.readFiles, "file")), \(Amount.bytes(summary.readBytes))"
        }
        text += ".\n"
        if let scrubbed = summary.scrubbed { text += "The server's scrubber last read everything until \(scrubbed).\n" }
        var results = [summary.damage == 0 ? "No damage" : "Damage: \(Amount.count(summary.damage, "finding"))"]
        if summary.repaired > 0 { results.append("repaired: \(Amount.count(summary.repaired, "finding"))") }
        if summary.notes > 0 { results.append(Amount.count(summary.notes, "note")) }
        return text + results.joined(separator: ", ") + "."
    }

    /// The last object of `--json`.
    static func json(_ summary: CheckSummary) -> JSON {
        var members: [String: JSON] = [
            "apps": .integer(Int64(summary.apps)), "files": .integer(Int64(summary.files)),
            "bytes": .integer(summary.bytes), "rows": .integer(Int64(summary.rows)),
            "filesRead": .integer(Int64(summary.readFiles)),
            "bytesRead": .integer(summary.readBytes), "damage": .integer(Int64(summary.damage)),
            "repaired": .integer(Int64(summary.repaired)), "notes": .integer(Int64(summary.notes)),
            "findings": .object(summary.findings.mapValues { .integer(Int64($0)) }),
        ]
        members["lastRound"] = summary.scrubbed.map(JSON.string)
        return .object(["summary": .object(members)])
    }
}
