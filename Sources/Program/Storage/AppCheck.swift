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

    /// Runs all steps; if the pages of the database are damaged, those that need no record.
    ///
    /// - Parameter former: The summary of other apps.
    /// - Returns: The summary with this one.
    /// - Throws: ``ExitError`` if something could not be checked.
    func run(adding former: CheckSummary) async throws -> CheckSummary {
        var summary = former
        summary.apps += 1
        return try await sayingWhere {
            let database = try engine.openDatabase(in: folder, repairing: options.repairs)
            let before = summary
            let (whole, checked) = try await blocking {
                var summary = before
                let isWhole = try checkPages(of: database, &summary)
                guard isWhole else { return (false, summary) }
                try FileComparison(self, database).run(&summary)
                try TrashComparison(self, database).run(&summary)
                try checkStaging(database, &summary)
                try checkReferences(database, &summary)
                try checkDerivatives(&summary)
                return (true, summary)
            }
            summary = checked
            let usage = whole ? try await blocking { try database.usage() } : nil
            try database.close()
            if let usage { try await check(usage, &summary) }
            if whole { try await checkRows(&summary) }
            return summary
        }
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

    func finding(_ kind: IntegrityFinding.Kind, _ subject: String, _ detail: String) -> IntegrityFinding {
        IntegrityFinding(app: app, kind, subject, detail)
    }

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
            : "; restore a backup (docs/storage-format.md, \"A damaged database\")"
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

    private func check(_ usage: (stored: Usage, counted: Usage), _ summary: inout CheckSummary) async throws {
        let (stored, counted) = usage
        guard stored != counted else { return }
        var found = finding(.wrongUsage, "usage", "is \(stored.text); counted are \(counted.text)")
        if options.repairs {
            try await engine.correctUsage(in: folder, to: counted)
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
