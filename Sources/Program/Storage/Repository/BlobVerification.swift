internal import Domain

/// Checks the blobs that a snapshot or a generation needs: their sizes, and the bytes of those in a subset.
struct BlobVerification {
    let repository: BackupRepository
    let layout: BackupLayout
    /// The blobs whose bytes are read; `nil` to compare sizes only.
    let subset: BlobSubset?
    let engine: any BackupEngine
    /// The names of blobs whose bytes were read before.
    let read: LineBuckets

    private static let pageSize = 256

    /// Checks blobs.
    ///
    /// - Parameters:
    ///   - records: The file records, as lines.
    ///   - names: The names of the blobs that must exist, those without a record too; `nil` for those of all records.
    ///   - folder: A folder for temporary files.
    ///   - summary: Gets the damage.
    /// - Throws: ``ExitError`` and ``BackupTargetFailure`` if the repository cannot be read.
    func run(
        _ records: LineBuckets,
        named names: BlobNames? = nil,
        through folder: String,
        _ summary: inout VerificationSummary
    ) throws {
        var listing = BlobListing(of: layout, in: repository.target)
        for bucket in LineBuckets.indices {
            let files = try self.files(records, bucket, names?.names(of: bucket))
            var present: [FileEntry] = []
            for (blob, file) in files {
                let size = try listing.size(of: layout.object(blob))
                guard let file else {
                    if size == nil { BlobVerification.note("the blob is missing", blob, &summary) }
                    continue
                }
                guard size != file.facts.size else {
                    present.append(file)
                    continue
                }
                note(file, size.map { .damaged("has \($0) bytes, not \(file.facts.size)") } ?? .missing, &summary)
            }
            if let subset { try readBlobs(present, subset, bucket, through: folder, &summary) }
        }
    }

    /// The blobs of a bucket in order, with their records.
    private func files(
        _ records: LineBuckets,
        _ bucket: Int,
        _ names: Set<String>?
    ) throws -> [(blob: BackupBlob, file: FileEntry?)] {
        let files = try records.files(of: bucket).map { (blob: BackupBlob(of: $0), file: Optional($0)) }
        guard let names else { return files }
        let named = files.filter { names.contains($0.blob.description) }
        let others = names.subtracting(named.map(\.blob.description)).compactMap { name in
            BackupBlob(name).map { (blob: $0, file: FileEntry?.none) }
        }
        return (named + others).sorted { $0.blob.description < $1.blob.description }
    }

    /// Reads the blobs of the subset that were not read before.
    private func readBlobs(
        _ files: [FileEntry],
        _ subset: BlobSubset,
        _ bucket: Int,
        through folder: String,
        _ summary: inout VerificationSummary
    ) throws {
        let done = Set(try read.lines(of: bucket))
        var rest = files.filter { file in
            subset.contains(BlobName(file.key)) && !done.contains(BackupBlob(of: file).description)
        }[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(BlobVerification.pageSize))
            rest = rest.dropFirst(page.count)
            let conditions = try engine.check(page, in: repository.target, layout: layout, through: folder)
            for (file, condition) in zip(page, conditions) {
                summary.readFiles += 1
                summary.readBytes += file.facts.size
                try read.add(BackupBlob(of: file).description)
                if condition != .whole { note(file, condition, &summary) }
            }
        }
    }

    private func note(_ file: FileEntry, _ condition: BlobCondition, _ summary: inout VerificationSummary) {
        let description = AppCopy.Unfit.blob(of: file, condition).description
        BlobVerification.note(description, BackupBlob(of: file), &summary)
    }

    private static func note(_ description: String, _ blob: BackupBlob, _ summary: inout VerificationSummary) {
        summary.damagedFiles += 1
        summary.note("\(description) (\(blob))")
    }
}
