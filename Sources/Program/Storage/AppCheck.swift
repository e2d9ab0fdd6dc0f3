internal import Domain

/// Checks one app.
struct AppCheck: Sendable {
    let app: String
    let folder: String
    let engine: any CheckEngine
    let options: CheckOptions
    let observer: CheckObserver
    let blobs: any CheckedBlobs

    init(
        _ app: String,
        in folder: String,
        _ engine: any CheckEngine,
        _ options: CheckOptions,
        _ observer: CheckObserver
    ) {
        self.app = app
        self.folder = folder
        self.engine = engine
        self.options = options
        self.observer = observer
        blobs = engine.blobs(in: folder)
    }

    /// Runs all steps; none after the first if the write-ahead log, the pages or the classes of the database are damaged.
    ///
    /// - Parameter former: The summary of other apps.
    /// - Returns: The summary with this one.
    /// - Throws: ``ExitError`` if something could not be checked.
    func run(adding former: CheckSummary) async throws -> CheckSummary {
        var summary = former
        summary.apps += 1
        return try await sayingWhere {
            guard try await counting(&summary, { try checkLog(&$0) }) else { return summary }
            guard let database = try open(&summary) else { return summary }
            guard try await counting(&summary, { try checkPages(of: database, &$0) }) else {
                try database.close()
                return summary
            }
            // Rows that are removed or accepted change what the other steps compare.
            let (damagedUsage, hidesNames) = try await checkRows(&summary)
            let usage = try await counting(&summary) { summary in
                try FileComparison(self, database).run(hidingNames: hidesNames, &summary)
                try TrashComparison(self, database).run(hidingNames: hidesNames, &summary)
                try checkStaging(database, &summary)
                try checkReferences(database, &summary)
                try checkDerivatives(&summary)
                return try database.usage()
            }
            try database.close()
            try await check(usage, reporting: damagedUsage, &summary)
            return summary
        }
    }

    /// Runs a step that blocks, and takes over what it counts.
    private func counting<Result: Sendable>(
        _ summary: inout CheckSummary,
        _ step: @escaping @Sendable (inout CheckSummary) throws -> Result
    ) async throws -> Result {
        let before = summary
        let (result, after) = try await blocking {
            var summary = before
            let result = try step(&summary)
            return (result, summary)
        }
        summary = after
        return result
    }

    /// Counts and reports a finding.
    func report(_ finding: IntegrityFinding, _ summary: inout CheckSummary) {
        summary.add(finding)
        observer.found(CheckFinding(finding))
    }

    func report(
        _ kind: IntegrityFinding.Kind,
        _ subject: String,
        _ detail: String,
        _ summary: inout CheckSummary
    ) {
        report(finding(kind, subject, detail), &summary)
    }

    /// Reports bytes that no row names; a repair moves them, so that a row that cannot be read must not name them.
    ///
    /// - Parameters:
    ///   - path: The bytes.
    ///   - detail: Continues the path.
    ///   - hidesNames: Whether a row is damaged or unreadable that can name them; they stay then.
    ///   - summary: Counts the finding.
    ///   - move: Moves the bytes, and returns their new path.
    /// - Throws: The errors of the move.
    func reportOrphan(
        _ path: String,
        _ detail: String,
        hidingNames hidesNames: Bool,
        _ summary: inout CheckSummary,
        move: () throws -> String
    ) throws {
        guard !hidesNames else {
            let reason = "a damaged row or an unreadable record can name it, so a repair does not move it"
            return report(.orphanBlob, path, "\(detail); \(reason)", &summary)
        }
        var found = finding(.orphanBlob, path, detail)
        if options.repairs { found.repair = "moved to \(try move())" }
        report(found, &summary)
    }

    func finding(_ kind: IntegrityFinding.Kind, _ subject: String, _ detail: String) -> IntegrityFinding {
        IntegrityFinding(app: app, kind, subject, detail)
    }

    /// Returns whether the database can be read together with its write-ahead log.
    ///
    /// - Throws: ``OpenFailure`` if a repair would destroy the rest of the log.
    private func checkLog(_ summary: inout CheckSummary) throws -> Bool {
        observer.step("write-ahead log")
        let damage = options.repairs ? try engine.logDamage(in: folder) : try engine.certainLogDamage(in: folder)
        guard let damage else { return true }
        switch damage {
        case .lost:
            guard !options.repairs else { throw OpenFailure(message: damage.advice, isDamage: true) }
            report(.lostChanges, engine.databaseName, damage.advice, &summary)
            return false
        case .copied:
            var found = finding(.damagedDatabase, engine.databaseName, damage.advice)
            if options.repairs { found.repair = "moved the log to \(try engine.moveLogAside(in: folder))" }
            report(found, &summary)
            return options.repairs
        }
    }

    /// Opens the database; `nil` if it is too damaged for that, which is reported.
    private func open(_ summary: inout CheckSummary) throws -> (any CheckedDatabase)? {
        do {
            return try engine.openDatabase(in: folder, repairing: options.repairs)
        } catch {
            guard error.isDamage else { throw error }
            report(.damagedDatabase, engine.databaseName, "\(error.message); \(AppCheck.restoreAdvice)", &summary)
            return nil
        }
    }

    private static let restoreAdvice = "restore a backup (docs/storage-format.md, \"Moving and saving it\")"

    /// Returns whether the pages of the database are whole, or were repaired.
    private func checkPages(of database: any CheckedDatabase, _ summary: inout CheckSummary) throws -> Bool {
        observer.step("pages of the database")
        let comparesIndexes = options.repairs || options.readsData && options.subset.isAll
        let damage = try database.pageDamage(comparingIndexes: comparesIndexes)
        guard !damage.isEmpty else { return true }
        let onlyIndexes = database.hasReadableRows()
        let advice =
            onlyIndexes
            ? "; all rows can be read, so only indexes are damaged, and --repair tries to rebuild them"
            : "; \(AppCheck.restoreAdvice)"
        var findings = damage.map { finding(.damagedDatabase, engine.databaseName, $0 + advice) }
        var isRepaired = false
        if options.repairs, onlyIndexes {
            do throws(OpenFailure) {
                try database.rebuildIndexes()
            } catch {
                // Damage that cannot be repaired remains a finding.
                if !error.isDamage { throw error }
            }
            isRepaired = try database.pageDamage(comparingIndexes: true).isEmpty
            if isRepaired { for index in findings.indices { findings[index].repair = "rebuilt the indexes" } }
        }
        for finding in findings { report(finding, &summary) }
        return isRepaired
    }

    private func checkReferences(_ database: any CheckedDatabase, _ summary: inout CheckSummary) throws {
        observer.step("references to files")
        try database.forEachDanglingReference { reference in
            let subject = "\(reference.className)/\(reference.object)"
            let place = reference.relation.map { " in its relation \($0)" } ?? ""
            let detail = "refers to file \(reference.file)\(place), which does not exist"
            report(.danglingReference, subject, detail, &summary)
        }
    }

    private func checkDerivatives(_ summary: inout CheckSummary) throws {
        observer.step("derivatives")
        try blobs.forEachBrokenDerivative(comparingDigests: options.readsData) { path in
            var found = finding(.brokenDerivative, path, "is not whole; the server makes it again")
            if options.repairs {
                try blobs.removeDerivative(path)
                found.repair = "removed"
            }
            report(found, &summary)
        }
    }

    /// Compares the usage; a repair counts that of a damaged row anew even if its numbers are right.
    private func check(
        _ usage: (stored: Usage, counted: Usage),
        reporting damage: [IntegrityFinding],
        _ summary: inout CheckSummary
    ) async throws {
        let (stored, counted) = usage
        if !damage.isEmpty { try await engine.correctUsage(in: folder, to: counted) }
        for var found in damage {
            found.repair = "counted anew"
            report(found, &summary)
        }
        guard stored != counted else { return }
        var found = finding(.wrongUsage, "usage", "is \(stored.text); counted are \(counted.text)")
        if options.repairs {
            if damage.isEmpty { try await engine.correctUsage(in: folder, to: counted) }
            found.repair = "counted anew"
        }
        report(found, &summary)
    }

    /// Converts the errors of the adapters to messages for the operator.
    private func sayingWhere<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure as OpenFailure {
            let path = StorageContents.databasePath(in: folder, named: engine.databaseName)
            throw ExitError.storage("the database \(path) \(failure.message)")
        } catch let failure as ServiceError {
            throw ExitError.storage("\(folder) cannot be checked (\(failure.cause ?? failure))")
        } catch let error where !(error is ExitError) {
            throw ExitError.storage("\(folder) cannot be checked (\(error))")
        }
    }
}

extension Usage {
    fileprivate var text: String {
        "\(files) files with \(bytes) bytes, \(uploads) uploads with \(announced) bytes, "
            + "and in the trash \(trashFiles) files with \(trashBytes) bytes"
    }
}
