internal import Domain

/// Removes the blobs of an app that no list of a snapshot or a generation names, and that are older than a day.
///
/// A blob is stored before the list that names it, so a young one can still get its list. Lists and blobs are read
/// without the lock of a retention: with millions of files that takes minutes, in which a continuous backup would wait.
/// Under the lock, only the lists that were stored meanwhile are read: a backup between could rely on a blob that was
/// found unnamed. Then the others of those are removed.
struct BlobSweep {
    let repository: BackupRepository
    let layout: BackupLayout
    let engine: any BackupEngine
    /// The storage folder, for temporary files; `nil` if there is none.
    let storage: String?
    /// The seconds to wait for backups that run.
    let patience: Int

    /// The seconds by which the times of a target's objects can differ from their order.
    private static let tolerance: Int64 = 3600

    /// Removes blobs.
    ///
    /// - Parameters:
    ///   - lists: Lists that must exist, with their contents by their manifests, as those that the names of segments
    ///     demand; if one is missing or differs, no blob is removed: a blob that only this list names would be taken for
    ///     one that nothing needs.
    ///   - time: The current time, by the clock of the target.
    ///   - summary: Counts what was removed.
    /// - Throws: ``ExitError`` and ``BackupTargetFailure``; a later run removes the rest.
    func run(
        needing lists: [String: BackupManifest.Content],
        since time: Int64,
        counting summary: inout RetentionSummary
    ) throws {
        let scratch = try ScratchFolder(besides: storage)
        defer { scratch.remove() }
        let path = "\(scratch.path)/unnamed"
        try BlobSweep.noting {
            try findUnnamed(lists, since: time, through: scratch.folder("named"), listing: path)
        }
        guard try BackupRepository.content(of: path).size > 0 else { return }

        let lock = try BackupLock(.retention, of: repository.target, patience: patience)
        defer { lock.release() }
        let newer = try BlobNames(in: repository.target, with: engine, through: scratch.folder("newer"))
        try BlobSweep.noting {
            try forEachList { list, sha256 in
                if list.modified >= time - BlobSweep.tolerance { try newer.add(list.name, sha256: sha256) }
            }
            try newer.finish()
        }
        var batch: [(name: String, size: Int64)] = []
        try FileBytes.forEachLine(of: path) { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let blob = BackupBlob(String(parts[0])), let size = Int64(parts[1]),
                try !newer.contains(blob)
            else { return }
            batch.append((layout.object(blob), size))
            if batch.count == RepositoryRetention.batch { try remove(&batch, under: lock, counting: &summary) }
        }
        try remove(&batch, under: lock, counting: &summary)
    }

    /// Runs a body, and says of a list that it cannot use that no blob was removed.
    private static func noting(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let defect as BlobListDefect {
            throw ExitError.storage("\(defect); no blob was removed")
        }
    }

    /// Writes the names and sizes of old blobs that no list names to a file.
    private func findUnnamed(
        _ lists: [String: BackupManifest.Content],
        since time: Int64,
        through folder: String,
        listing path: String
    ) throws {
        let named = try BlobNames(in: repository.target, with: engine, through: folder)
        for (list, content) in lists { try named.add(list, sha256: content.sha256) }
        try forEachList { list, sha256 in if lists[list.name] == nil { try named.add(list.name, sha256: sha256) } }
        try named.finish()
        var unnamed = try LineWriter(path)
        var listing = BlobListing(of: layout, in: repository.target)
        while let object = try listing.next() {
            // What has another name was not stored by lcfile.
            guard let blob = BackupBlob(object.name), layout.object(blob) == object.name,
                time - object.modified > RepositoryRetention.grace, try !named.contains(blob)
            else { continue }
            try unnamed.write("\(blob) \(object.size)")
        }
        try unnamed.flush()
    }

    /// Calls a body with all lists, also those of snapshots and generations that are not whole, and with the digests that
    /// the names of segments demand.
    ///
    /// - Throws: ``BlobListDefect`` if the list of a segment is missing, ``ExitError``, and what the body throws.
    private func forEachList(_ body: (BackupObject, _ sha256: String?) throws -> Void) throws {
        try repository.forEachObject(layout.snapshots) { object in
            if object.name.hasSuffix("/\(SnapshotPart.files.rawValue)") { try body(object, nil) }
        }
        // The name of a list is just before that of its segment, which is stored after it and removed before it.
        var last: String?
        try repository.forEachObject(layout.log) { object in
            let segment = SegmentName(object.name)
            if layout.isBlobList(object.name) {
                last = object.name
                return try body(object, segment?.list)
            }
            guard let segment, let list = segment.list, list != SegmentName.noList,
                let generation = layout.generation(of: object.name)
            else { return }
            let name = layout.blobs(of: segment, ofGeneration: generation)
            guard name != last else { return }
            // The listing of a folder can lack an object that was stored during it, and contain one that was stored later.
            guard let found = try repository.target.object(named: name) else {
                throw BlobListDefect("\(name) in \(repository.target) is missing")
            }
            try body(found, list)
        }
    }

    private func remove(
        _ batch: inout [(name: String, size: Int64)],
        under lock: BackupLock,
        counting summary: inout RetentionSummary
    ) throws {
        guard !batch.isEmpty else { return }
        try lock.check()
        try repository.target.remove(batch.map(\.name))
        summary.blobs += batch.count
        summary.bytes += batch.reduce(0) { $0 + $1.size }
        batch.removeAll()
    }
}
