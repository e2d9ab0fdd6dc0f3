internal import Domain

/// Makes the database of a moment: the base of a generation, and its segments onto it.
struct GenerationReplay {
    let generation: Generation
    let repository: BackupRepository
    let engine: any BackupEngine

    /// The number of segments that are read at a time; one of a busy server has some megabytes.
    private static let batch = 32

    /// Writes the database to a folder; it is neither synced nor checked.
    ///
    /// - Parameters:
    ///   - span: The segments.
    ///   - folder: The folder, without a database; a folder for segments is in it meanwhile.
    /// - Throws: ``GenerationDefect``, and ``ExitError`` if the repository cannot be read.
    func run(_ span: GenerationSpan, to folder: String) throws {
        let database = "\(folder)/\(engine.databaseName)"
        if let defect = try repository.get(generation.object(.base), as: generation.manifest.database, to: database) {
            throw GenerationDefect(in: generation, "the base of \(generation.description) \(defect)")
        }
        guard var link = SegmentLink(base: generation.manifest.database) else {
            let description = "the manifest of \(generation.description) has no digest of the base"
            throw GenerationDefect(in: generation, description)
        }
        guard let last = span.last else { return }
        var end = generation.time.timestamp
        var batch: [SegmentName] = []
        try repository.forEachSegment(of: generation) { segment in
            guard segment.name.number <= last.number else { return }
            batch.append(segment.name)
            guard batch.count == GenerationReplay.batch || segment.name.number == last.number else { return }
            try apply(batch, in: "\(folder)/segments", to: folder, &link, &end)
            batch.removeAll()
        }
        guard link.number == last.number else {
            throw GenerationDefect(in: generation, link.number + 1, "is missing", after: end)
        }
    }

    /// Applies segments; `end` is the time of the last that was applied.
    private func apply(
        _ segments: [SegmentName],
        in files: String,
        to folder: String,
        _ link: inout SegmentLink,
        _ end: inout Timestamp
    ) throws {
        try StorageContents.makeFolder(files)
        do {
            try engine.fetch(segments.map(generation.object), in: repository.target, to: files)
        } catch let failure as BackupTargetFailure where failure.reason == .missing {
            throw GenerationDefect(in: generation, link.number + 1, "is missing", after: end)
        }
        for (index, segment) in segments.enumerated() {
            do {
                link = try engine.replay(segmentAt: "\(files)/\(index)", onto: folder, after: link)
            } catch let defect as SegmentDefect {
                throw GenerationDefect(in: generation, segment.number, "\(defect)", after: end)
            } catch let failure as OpenFailure {
                throw ExitError.storage("the database \(folder)/\(engine.databaseName) \(failure.message)")
            }
            end = max(end, segment.time)
        }
        try StorageContents.removeFolder(files)
    }
}

/// A defect of a generation; its moments before the defect can be restored.
struct GenerationDefect: Error {
    /// What is damaged: "segment 12 of generation app 20270112T030000.123Z is missing".
    let description: String
    /// What an operator can do.
    private let way: String

    /// A defect without which nothing of the generation can be restored.
    init(in generation: Generation, _ description: String) {
        self.description = description
        way = "--at with a time before \(generation.time.timestamp.iso8601) restores an older state"
    }

    /// A defect of a segment.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - number: The number of the segment.
    ///   - description: Continues "segment 12 …".
    ///   - end: The time of the segment before it.
    init(in generation: Generation, _ number: Int, _ description: String, after end: Timestamp) {
        self.description = "segment \(number) of \(generation.description) \(description)"
        way = "--at \(end.iso8601) restores the state before it"
    }

    /// The description with what an operator can do.
    var advice: String { "\(description); \(way)" }
}
