internal import Domain

/// What a repository has.
package struct RepositoryList: Sendable, Equatable {
    /// The whole snapshots of all apps, by app and from old to new.
    package var snapshots: [SnapshotFacts] = []
    /// The whole generations of all apps, by app and from old to new.
    package var generations: [GenerationFacts] = []
    /// The descriptions of manifests that cannot be read.
    package var damage: [String] = []
}

extension BackupRepository {
    /// Lists all snapshots and generations, and the manifests that cannot be read.
    ///
    /// - Throws: ``ExitError`` if the repository cannot be read.
    package func list() throws -> RepositoryList {
        var list = RepositoryList()
        for app in try apps() {
            let snapshots = try self.snapshots(of: app) { list.damage.append($0.description) }
            list.snapshots += snapshots.map { SnapshotFacts($0) }
            let generations = try self.generations(of: app) { list.damage.append($0.description) }
            for generation in generations {
                list.generations.append(GenerationFacts(generation, try forEachSegment(of: generation)))
            }
        }
        return list
    }
}
