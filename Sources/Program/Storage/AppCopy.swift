internal import Domain

/// Copies one app to a folder that no server uses yet: first its database, then the blobs of the copied records.
///
/// In this order both are consistent while a server runs. A blob is stored before its record and removed after it, so
/// each record of the copy has its blob, unless the file was deleted since.
struct AppCopy {
    /// A file that was not copied: its blob is missing or damaged, or its record cannot be read.
    enum Unfit {
        case blob(of: FileEntry, BlobCondition)
        case record(UnreadableRecord)
    }

    /// Copies databases and blobs.
    let engine: any BackupEngine
    /// The app's folder.
    let source: String
    /// The folder of the copy.
    let target: String
    /// Whether blobs must have the SHA-256 of their records, or only the size.
    let comparingDigests: Bool
    /// The repository from which blobs are copied; `nil` for those in the source's folder.
    var repository: (target: any BackupTarget, layout: BackupLayout)?

    /// Copies the app and returns when the copy is on the disk, except the new folder's own name.
    ///
    /// The body decides about files that were not copied. If the pages of the database are damaged, the copy is named
    /// ``StorageContents/damagedDatabase``, which neither a server nor a restore uses as a database, and the files
    /// whose records can be read are copied.
    func run(
        counting summary: inout CopySummary,
        onUnfit: ([Unfit], any CopiedDatabase, inout CopySummary) throws -> Void
    ) throws {
        try StorageContents.makeFolder(target)
        let original = StorageContents.databasePath(in: source, named: engine.databaseName)
        try AppCopy.sayingWhere(source, original) {
            let path = "\(target)/\(engine.databaseName)"
            let damagedPath = "\(target)/\(StorageContents.damagedName(of: engine.databaseName))"
            // SQLite would treat the intact part of the log as the whole.
            if let damage = try engine.certainLogDamage(in: source) {
                try FileBytes.copy(original, to: damagedPath)
                let log = "\(original)-wal"
                if try StorageContents.isPresent(log) { try FileBytes.copy(log, to: "\(damagedPath)-wal") }
                summary.noteDamage(of: original, damage.description)
                return
            }
            let database: any CopiedDatabase
            do {
                database = try engine.copyDatabase(of: source, to: target)
            } catch let error as OpenFailure where error.isDamage {
                // Its pages cannot even be listed, so the file is copied as it is.
                try? StorageContents.remove(path)
                try FileBytes.copy(original, to: damagedPath)
                summary.noteDamage(of: original, error.message)
                return
            }
            var copy = try blobCopier()
            do {
                try database.forEachPage { files, broken in
                    var unfit = broken.map(Unfit.record)
                    for (file, condition) in zip(files, try copy.copy(files)) {
                        guard condition == .whole else {
                            unfit.append(.blob(of: file, condition))
                            continue
                        }
                        summary.files += 1
                        summary.bytes += file.facts.size
                    }
                    if !unfit.isEmpty { try onUnfit(unfit, database, &summary) }
                }
            } catch let failure as OpenFailure where database.damage != nil && failure.isDamage {
                // The records after the damage cannot be found.
            }
            try summary.noteDamagedRows(of: database)
            try database.close()
            if let damage = database.damage {
                try StorageContents.rename(path, to: damagedPath)
                summary.noteDamage(of: original, damage)
            } else {
                summary.apps += 1
            }
            try StorageContents.synchronize(database.damage == nil ? path : damagedPath)
            try copy.synchronize()
        }
    }

    private func blobCopier() throws -> any BlobCopier {
        guard let repository else {
            return try engine.blobCopier(from: source, to: target, comparingDigests: comparingDigests)
        }
        return try engine.blobFetcher(
            from: repository.target,
            layout: repository.layout,
            to: target,
            comparingDigests: comparingDigests
        )
    }

    /// Converts the errors of the adapters to messages for the operator.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - database: The path of its database.
    ///   - body: Reads or copies both.
    /// - Throws: ``ExitError``, and other errors of the body.
    static func sayingWhere(_ folder: String, _ database: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as OpenFailure {
            throw ExitError.storage("the database \(database) \(failure.message)")
        } catch let failure as BackupTargetFailure {
            throw ExitError.storage(failure.description)
        } catch let failure as ServiceError {
            let cause: any Error = failure.cause ?? failure
            throw ExitError.storage("the files of \(folder) cannot be read or copied (\(cause))")
        }
    }
}

extension AppCopy.Unfit {
    /// A description of the damage: "the blob of file … is missing".
    var description: String {
        switch self {
        case .record(let record): return "the record of file \(record.id) has no valid key, size or digest"
        case .blob(let file, let condition):
            let blob = "the blob of file \(file.id) (key \(file.key))"
            switch condition {
            case .missing: return "\(blob) is missing"
            case .damaged(let description): return "\(blob) \(description)"
            case .whole: return "\(blob) is whole"
            }
        }
    }
}

extension CopySummary {
    /// Counts a damaged database, which is not part of a complete app.
    mutating func noteDamage(of database: String, _ message: String) {
        damagedDatabases += 1
        firstDamagedDatabase = firstDamagedDatabase ?? "\(database) \(message)"
    }

    /// Counts the databases that are gone or empty.
    mutating func noteLostDatabases(in storage: String, with engine: any BackupEngine) throws {
        for app in try StorageContents.appsWithoutDatabase(in: storage, named: engine.databaseName) {
            noteDamage(of: "\(storage)/\(app)/\(engine.databaseName)", StorageContents.lostDatabaseAdvice)
        }
    }

    /// Counts the damaged rows of a copy, which do not leave it; those of damaged pages cannot be told.
    mutating func noteDamagedRows(of database: any CopiedDatabase) throws {
        guard database.damage == nil else { return }
        try database.forEachDamagedRow { row in
            damagedRows += 1
            firstDamagedRow = firstDamagedRow ?? row.description
        }
    }

    /// Adds the counts of another summary.
    mutating func add(_ other: CopySummary) {
        apps += other.apps
        files += other.files
        bytes += other.bytes
        deleted += other.deleted
        damaged += other.damaged
        damagedRows += other.damagedRows
        damagedDatabases += other.damagedDatabases
        lacking += other.lacking
        completeMoment = completeMoment ?? other.completeMoment
        firstDamage = firstDamage ?? other.firstDamage
        firstDamagedRow = firstDamagedRow ?? other.firstDamagedRow
        firstDamagedDatabase = firstDamagedDatabase ?? other.firstDamagedDatabase
    }
}
