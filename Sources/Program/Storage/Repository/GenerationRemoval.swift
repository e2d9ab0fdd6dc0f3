internal import Domain

/// Removes generations of an app, under the lock of a retention.
struct GenerationRemoval {
    let repository: BackupRepository
    let layout: BackupLayout
    let lock: BackupLock

    /// Removes a generation: its manifest, then segments, lists, and what it began with.
    func remove(_ generation: GenerationTime) throws {
        try lock.check()
        try repository.target.remove([layout.object(.manifest, ofGeneration: generation)])
        try remove(generation) { $0.hasSuffix(SegmentName.segmentSuffix) }
        try remove(generation) { $0.hasSuffix(SegmentName.blobsSuffix) }
        try remove(generation) { _ in true }
    }

    /// Removes what crashes left of generations without a manifest, when all of it is older than a day.
    ///
    /// - Parameter whole: The generations with a manifest.
    /// - Throws: ``ExitError`` and ``BackupTargetFailure``; a later run removes the rest.
    func removeLeft(except whole: Set<GenerationTime>) throws {
        for generation in try repository.generationTimes(of: layout.app) where !whole.contains(generation) {
            var newest = Int64.min
            try repository.forEachObject(layout.root(ofGeneration: generation)) { newest = max(newest, $0.modified) }
            guard newest < lock.acquired - RepositoryRetention.grace else { continue }
            try remove(generation)
        }
    }

    private func remove(_ generation: GenerationTime, _ condition: (String) -> Bool) throws {
        var batch: [String] = []
        func removeBatch() throws {
            guard !batch.isEmpty else { return }
            try lock.check()
            try repository.target.remove(batch)
            batch.removeAll()
        }
        try repository.forEachObject(layout.root(ofGeneration: generation)) { object in
            guard condition(object.name) else { return }
            batch.append(object.name)
            if batch.count == RepositoryRetention.batch { try removeBatch() }
        }
        try removeBatch()
    }
}
