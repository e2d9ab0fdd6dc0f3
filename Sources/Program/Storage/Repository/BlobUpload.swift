internal import Domain

/// Stores the blobs of a database that a repository lacks, and lists all of them in the order of their names.
///
/// Whether the repository has a blob is decided by its listing, with the size. So a backup that was interrupted
/// continues where it ended, and an object that was lost is stored again.
struct BlobUpload {
    /// The app's folder.
    let source: String
    let layout: BackupLayout
    let target: any BackupTarget
    let engine: any BackupEngine

    /// What was stored, and what was there before.
    struct Counts {
        var files = 0
        var bytes: Int64 = 0
        var newFiles = 0
        var newBytes: Int64 = 0
    }

    /// The number of files that are handled at a time; enough that few threads wait for the last of them.
    private static let pageSize = 1024

    /// Stores the blobs and writes their names to a new file.
    ///
    /// - Parameters:
    ///   - database: Has the records.
    ///   - path: The list.
    ///   - folder: An empty folder for temporary files.
    ///   - leaveOut: Called with records whose blob is not in the repository, because it is missing or damaged.
    /// - Returns: What was stored.
    /// - Throws: ``BackupTargetFailure``, errors of files, and what the body throws.
    func run(
        _ database: any CopiedDatabase,
        listing path: String,
        through folder: String,
        leaveOut: ([AppCopy.Unfit]) throws -> Void
    ) throws -> Counts {
        var counts = Counts()
        let buckets = LineBuckets(in: folder)
        try buckets.add(filesOf: database) { broken in try leaveOut(broken.map(AppCopy.Unfit.record)) }
        var list = try LineWriter(path)
        var listing = BlobListing(of: layout, in: target)
        for bucket in LineBuckets.indices {
            var rest = try buckets.files(of: bucket)[...]
            while !rest.isEmpty {
                let files = Array(rest.prefix(BlobUpload.pageSize))
                rest = rest.dropFirst(files.count)
                let missing = try files.filter { try listing.size(of: layout.object(of: $0)) != $0.facts.size }
                let conditions = try engine.upload(missing, in: source, to: target, layout: layout)
                var unfit: [ObjectID: BlobCondition] = [:]
                for (file, condition) in zip(missing, conditions) {
                    if condition != .whole { unfit[file.id] = condition }
                    guard condition == .whole else { continue }
                    counts.newFiles += 1
                    counts.newBytes += file.facts.size
                }
                for file in files where unfit[file.id] == nil {
                    try list.write(BackupBlob(of: file).description)
                    counts.files += 1
                    counts.bytes += file.facts.size
                }
                let damage = files.compactMap { file in unfit[file.id].map { AppCopy.Unfit.blob(of: file, $0) } }
                if !damage.isEmpty { try leaveOut(damage) }
            }
        }
        try list.flush()
        return counts
    }
}
