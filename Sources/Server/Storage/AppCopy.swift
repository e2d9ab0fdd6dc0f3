internal import DiskBlobs
internal import Domain
internal import SQLiteStore

/// Copies one app to a folder that nobody uses yet: its database first, then the blobs that the copy names.
///
/// In this order both fit together whatever a server does meanwhile. A blob is there before its record and stays longer,
/// so each record of the copy has its blob, unless the file was deleted since.
struct AppCopy {
    /// A file whose blob was not copied.
    struct Unfit {
        let file: FileEntry
        let condition: BlobCondition
    }

    /// The app's folder.
    let source: String
    /// The new one.
    let target: String
    /// Whether blobs must have the SHA-256 of their records, or only the size.
    let comparingDigests: Bool

    /// Copies all and returns when it is on the disk, except the new folder's own name.
    ///
    /// The body is asked what to do about files whose blobs are not whole.
    func run(
        counting summary: inout CopySummary,
        onUnfit: ([Unfit], DatabaseCopy, inout CopySummary) throws -> Void
    ) throws {
        try StorageContents.makeFolder(target)
        try AppCopy.sayingWhere(source) {
            let path = "\(target)/\(StorageContents.database)"
            let database = try DatabaseCopy(of: "\(source)/\(StorageContents.database)", at: path)
            let blobs = BlobSource(folder: source)
            var copy = try BlobCopy(from: blobs, to: target, comparingDigests: comparingDigests)
            try database.forEachPage { files in
                var unfit: [Unfit] = []
                for (file, condition) in zip(files, try copy.copy(files)) {
                    guard condition == .whole else {
                        unfit.append(Unfit(file: file, condition: condition))
                        continue
                    }
                    summary.files += 1
                    summary.bytes += file.facts.size
                }
                if !unfit.isEmpty { try onUnfit(unfit, database, &summary) }
            }
            try database.close()
            try StorageContents.synchronize(path)
            try copy.synchronize()
        }
        summary.apps += 1
    }

    /// Makes sentences for the operator of what the adapters throw.
    static func sayingWhere(_ folder: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as OpenFailure {
            throw StartError.storage("the database \(folder)/\(StorageContents.database) \(failure.sentence)")
        } catch let failure as ServiceError {
            let cause: any Error = failure.cause ?? failure
            throw StartError.storage("the files of \(folder) cannot be read or copied (\(cause))")
        }
    }
}

extension AppCopy.Unfit {
    /// What is wrong, in words: "the blob of file … is missing".
    var words: String {
        let blob = "the blob of file \(file.id) (key \(file.key))"
        switch condition {
        case .missing: return "\(blob) is missing"
        case .damaged(let words): return "\(blob) \(words)"
        case .whole: return "\(blob) is whole"
        }
    }
}
