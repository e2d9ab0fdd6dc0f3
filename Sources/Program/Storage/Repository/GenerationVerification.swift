internal import Domain

/// Checks a generation: the chain of its segments, the database that they give, and the blobs that its lists name.
struct GenerationVerification {
    let generation: Generation
    let repository: BackupRepository
    let engine: any BackupEngine
    let blobs: BlobVerification

    /// Checks the generation; a running server can add segments meanwhile.
    ///
    /// - Parameters:
    ///   - folder: An empty folder for temporary files.
    ///   - summary: Gets the damage.
    /// - Throws: ``ExitError`` and ``BackupTargetFailure`` if the repository cannot be read.
    func run(through folder: String, _ summary: inout VerificationSummary) throws {
        do {
            let span = try repository.forEachSegment(of: generation)
            if let gap = span.gap {
                throw GenerationDefect(in: generation, gap, "is missing", after: span.end(of: generation))
            }
            try checkParts(through: folder)
            try StorageContents.makeFolder("\(folder)/replay")
            try GenerationReplay(generation: generation, repository: repository, engine: engine)
                .run(span, to: "\(folder)/replay")
            try checkFiles(span, through: folder, &summary)
        } catch let defect as GenerationDefect {
            summary.damagedGenerations += 1
            summary.note(defect.advice)
        }
    }

    private func checkParts(through folder: String) throws {
        var parts: [(GenerationPart, BackupManifest.Content)] = [(.files, generation.manifest.files)]
        if let apps = generation.manifest.generatedApp { parts.append((.apps, apps)) }
        for (part, content) in parts {
            let path = "\(folder)/\(part.rawValue)"
            if let defect = try repository.get(generation.object(part), as: content, to: path) {
                throw GenerationDefect(in: generation, "\(part.rawValue) of \(generation.description) \(defect)")
            }
            try StorageContents.remove(path)
        }
    }

    /// Checks the database as a restore does, and the blobs.
    private func checkFiles(
        _ span: GenerationSpan,
        through folder: String,
        _ summary: inout VerificationSummary
    ) throws {
        for name in ["copy", "names", "records"] { try StorageContents.makeFolder("\(folder)/\(name)") }
        let names: BlobNames
        do {
            names = try repository.blobs(of: generation, span, with: engine, through: "\(folder)/names")
        } catch let error as ExitError {
            throw GenerationDefect(in: generation, "the lists of \(generation.description): \(error)")
        } catch let defect as BlobListDefect {
            throw GenerationDefect(in: generation, "\(generation.description): \(defect)")
        }
        let records = LineBuckets(in: "\(folder)/records")
        do {
            let database = try engine.copyDatabase(of: "\(folder)/replay", to: "\(folder)/copy")
            if let damage = database.damage {
                try database.close()
                throw OpenFailure(message: damage, isDamage: true)
            }
            try records.add(filesOf: database) { broken in
                for record in broken {
                    summary.note("\(generation.description): \(AppCopy.Unfit.record(record).description)")
                }
                summary.damagedFiles += broken.count
            }
            try database.forEachDamagedRow { row in
                summary.damagedRows += 1
                summary.note("\(generation.description): \(row)")
            }
            try database.close()
        } catch let failure as OpenFailure {
            throw GenerationDefect(in: generation, "the database of \(generation.description) \(failure.message)")
        }
        try blobs.run(records, named: names, through: folder, &summary)
    }
}
