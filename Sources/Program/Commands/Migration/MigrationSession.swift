internal import ArgumentParser
internal import FileClient
internal import Migration

/// Runs a migration for a command, with everything that the user sees of it.
struct MigrationSession: Sendable {
    /// What happens to an item, as a participle: `imported`.
    let participle: String
    /// What is counted, in the singular: `file`.
    let noun: String
    let options: MigrationOptions
    let transfer: TransferOptions
    let output: OutputOptions
    /// What is migrated where.
    let identity: JournalIdentity
    /// The path of the journal.
    let journal: String

    /// Opens the journal.
    ///
    /// - Throws: `MigrationError`.
    func open() throws -> Journal { try Journal(at: journal, for: identity) }

    /// Runs the body and ends the command.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - rules: Which items are sent again.
    ///   - verifies: Whether the body compares everything with the server at its end.
    ///   - expected: Computes the totals for the progress, beside the body; `nil` if they cannot be known before.
    ///   - body: Sends the items.
    /// - Throws: `ExitCode` if an item failed or differs, or the run was interrupted or stopped.
    func run(
        on journal: Journal,
        repeating rules: RepeatRules,
        verifies: Bool = false,
        expecting expected: (@Sendable () async throws -> ItemTotals)? = nil,
        _ body: @escaping @Sendable (MigrationRun, MigrationDisplay) async throws -> Void
    ) async throws {
        let display = MigrationDisplay(noun: noun, output)
        let run = MigrationRun(journal, display, concurrency: options.concurrency(transfer), repeating: rules)
        var stop: (any Error)?
        do {
            try await Interruption.cancelling {
                try await display.bar.show {
                    // Only for the progress: an error in the source is reported by the body.
                    async let _: Void = display.expect(expected)
                    try await body(run, display)
                }
            }
        } catch {
            stop = error
        }
        display.bar.end()
        let differences = verifies ? try await journal.differenceCount() : 0
        let failures = try await journal.failureCount()
        printList(
            try await journal.failures(Failures.listed),
            of: failures.failed + failures.changed,
            "failed or changed"
        )
        if verifies { printList(try await journal.differences(Failures.listed), of: differences, "differ") }
        for path in options.report {
            guard let format = MigrationReport.Format(path: path) else { continue }
            let report = MigrationReport(
                journal,
                of: identity,
                seconds: display.bar.seconds,
                isVerified: verifies && stop == nil
            )
            try await report.write(to: path, as: format)
        }
        let status = summarise(display, stop, failures, differences: verifies ? differences : nil)
        if status != 0 { throw ExitCode(status) }
    }

    /// Lists what failed or differs.
    private func printList(_ items: [FailedItem], of count: Int, _ what: String) {
        guard !items.isEmpty else { return }
        // Beside objects an import of an app has relations and class settings.
        let counted = noun == "object" ? "item" : noun
        if count > 1 { Terminal.printError("lcfile: \(Amount.count(count, counted)) \(what):") }
        for item in items {
            let name = item.kind == noun ? item.name : "\(item.kind) \(item.name)"
            Terminal.printError(Style.error.red("lcfile:") + " " + Terminal.printable("\(name): \(item.reason)"))
        }
        if count > items.count { Terminal.printError("lcfile: and \(count - items.count) more") }
    }

    /// Says how the run ended and how to go on, and returns the exit code.
    private func summarise(
        _ display: MigrationDisplay,
        _ stop: (any Error)?,
        _ failures: (failed: Int, changed: Int),
        differences: Int?
    ) -> Int32 {
        let counts = display.counts
        if let stop {
            let isInterrupted = stop is CancellationError
            let reason = isInterrupted ? "interrupted" : Terminal.printable("\(stop)")
            Terminal.printError(
                "lcfile: \(reason); \(display.text(counts.done)) \(participle) in this run. "
                    + "The same command continues (journal: \(Terminal.printable(journal)))."
            )
            return isInterrupted ? ExitStatus.interrupted : ExitStatus.status(of: stop)
        }
        let isWell = failures == (0, 0) && differences ?? 0 == 0
        if !output.quiet {
            var text =
                (differences == nil ? participle : "compared")
                + " \(display.text(counts.done)), \(Amount.bytes(counts.bytes))"
            text += " in \(Amount.time(display.bar.seconds))"
            if !counts.doneBefore.isEmpty { text += "; \(display.text(counts.doneBefore)) \(participle) before" }
            if let differences, differences > 0 { text += "; \(differences) differ" }
            if failures.failed > 0 { text += "; \(failures.failed) failed (--retry-failed tries them again)" }
            if failures.changed > 0 { text += "; \(failures.changed) changed (--update sends them again)" }
            Terminal.printError((isWell ? Style.error.green("✓") : Style.error.red("✗")) + " " + text)
        }
        return isWell ? 0 : ExitStatus.failure
    }

    /// Prints what the command would do.
    func printPreview(_ preview: SourcePreview) {
        var rows = [["to do", "\(preview.toDo.count)", Amount.bytes(preview.toDo.bytes)]]
        for (name, totals) in [("done", preview.done), ("failed", preview.failed), ("changed", preview.changed)] {
            guard totals.count > 0 else { continue }
            rows.append([name, "\(totals.count)", Amount.bytes(totals.bytes)])
        }
        if preview.unusable > 0 { rows.append(["not usable", "\(preview.unusable)"]) }
        if output.json {
            let members = [
                "toDo": JSON.integer(Int64(preview.toDo.count)), "toDoBytes": .integer(preview.toDo.bytes),
                "done": .integer(Int64(preview.done.count)), "failed": .integer(Int64(preview.failed.count)),
                "changed": .integer(Int64(preview.changed.count)), "unusable": .integer(Int64(preview.unusable)),
            ]
            Terminal.printLine(JSON.object(members).description)
        } else {
            for line in Table.lines(rows) { Terminal.printLine(line) }
        }
        for example in preview.examples { Terminal.printError("lcfile: " + Terminal.printable(example)) }
    }
}

extension MigrationDisplay {
    /// Notes the totals when they are computed, if they can be.
    fileprivate func expect(_ totals: (@Sendable () async throws -> ItemTotals)?) async {
        guard let totals = try? await totals?() else { return }
        progress.expect(files: totals.count, size: totals.bytes)
    }
}
