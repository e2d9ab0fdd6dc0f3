/// The scores of the checkers, by which an operator chooses thresholds.
extension CensorService {
    /// The number of files that one read returns.
    package static let scorePage = 1000
    /// The maximum length of a score's name in bytes.
    package static let maxScoreName = 64
    /// The time after which a call ends.
    private static let scoreTime = Duration.seconds(2)

    /// Counts the scores of some files: the next ones in the order of their ids.
    ///
    /// A call reads for two seconds, and a page more at most. The caller adds the counts of all calls. A file counts if
    /// a checker's decision is in force and has the score; the decision of a person has no scores.
    ///
    /// - Parameters:
    ///   - name: The name of the score, such as `nsfw`.
    ///   - last: The position after an earlier call.
    ///   - caller: The caller.
    /// - Returns: The counts, and the position after the last file; `nil` at the end.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/badRequest`` for a name that is too long;
    ///   errors of the store.
    package func scores(
        named name: String,
        after last: ObjectID?,
        as caller: Caller
    ) async throws -> (counts: ScoreCounts, cursor: ObjectID?) {
        try caller.requireMasterKey()
        guard name.utf8.count <= CensorService.maxScoreName else {
            throw ServiceError(.badRequest, "name must be a string of at most \(CensorService.maxScoreName) bytes.")
        }
        let end = ContinuousClock.now + CensorService.scoreTime
        var counts = ScoreCounts()
        var last = last
        repeat {
            let page = try await store.read { [last] reader in
                let records = try reader.find(CensorService.files(after: last))
                let scores = records.compactMap { $0.score(named: name) }
                return (scores: scores, end: records.last?.id, read: records.count)
            }
            for score in page.scores { counts.add(score) }
            guard page.read == CensorService.scorePage else { return (counts, nil) }
            last = page.end
        } while ContinuousClock.now < end
        return (counts, last)
    }

    private static func files(after last: ObjectID?) -> ObjectQuery {
        let id = FieldPath(field: "objectId")
        let condition = last.map { Condition.field(id, .compares(.greater, .string($0.description))) } ?? .always
        return ObjectQuery(.file, where: condition, order: [SortKey(id)], page: Page(first: scorePage))
    }
}

extension StoredObject {
    /// The score of a checker, if its decision about the file is in force.
    fileprivate func score(named name: String) -> Double? {
        guard let decision, decision.kind == .machine else { return nil }
        return decision.scores[name]
    }
}
