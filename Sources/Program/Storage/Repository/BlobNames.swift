internal import Domain

/// The names of blobs in lists of a repository, sorted on the disk.
///
/// A list with another line is damaged, and an error.
final class BlobNames {
    private let target: any BackupTarget
    private let engine: any BackupEngine
    private let folder: String
    private let lines: LineBuckets
    private var waiting: [(list: String, sha256: String?)] = []
    private var loaded: (bucket: Int, names: Set<String>)?

    /// The number of lists that are read at a time.
    private static let batch = 256

    /// - Parameters:
    ///   - target: The repository.
    ///   - engine: Reads lists, several at a time.
    ///   - folder: An empty folder for temporary files.
    /// - Throws: ``ExitError`` if the folder cannot be written.
    init(in target: any BackupTarget, with engine: any BackupEngine, through folder: String) throws {
        self.target = target
        self.engine = engine
        self.folder = folder
        try StorageContents.makeFolder("\(folder)/lines")
        lines = LineBuckets(in: "\(folder)/lines")
    }

    /// Adds the names of a list; ``finish()`` is to be called at the end.
    ///
    /// - Parameters:
    ///   - list: The name of the list.
    ///   - sha256: The digest of its bytes; `nil` if that is unknown.
    /// - Throws: ``BlobListDefect`` and ``BackupTargetFailure``.
    func add(_ list: String, sha256: String? = nil) throws {
        waiting.append((list, sha256))
        if waiting.count == BlobNames.batch { try finish() }
    }

    /// Reads the lists that were added.
    ///
    /// - Throws: ``BlobListDefect`` and ``BackupTargetFailure``.
    func finish() throws {
        guard !waiting.isEmpty else { return }
        let lists = "\(folder)/lists"
        try StorageContents.makeFolder(lists)
        do {
            try engine.fetch(waiting.map(\.list), in: target, to: lists)
        } catch let failure as BackupTargetFailure where failure.reason == .missing {
            guard let list = try waiting.first(where: { try target.object(named: $0.list) == nil })?.list else {
                throw failure
            }
            throw BlobListDefect("\(list) in \(target) is missing")
        }
        for (index, (list, sha256)) in waiting.enumerated() {
            let path = "\(lists)/\(index)"
            if let sha256, try BackupRepository.content(of: path).sha256 != sha256 { throw damaged(list) }
            try FileBytes.forEachLine(of: path) { line in
                guard let blob = BackupBlob(line) else { throw damaged(list) }
                try lines.add(blob.description)
            }
        }
        try StorageContents.removeFolder(lists)
        waiting.removeAll()
        loaded = nil
    }

    private func damaged(_ list: String) -> BlobListDefect {
        BlobListDefect("\(list) in \(target) is damaged")
    }

    /// The names of a bucket.
    func names(of bucket: Int) throws -> Set<String> {
        if let loaded, loaded.bucket == bucket { return loaded.names }
        let names = Set(try lines.lines(of: bucket))
        loaded = (bucket, names)
        return names
    }

    /// Whether a list has the name of a blob; fast for names in order.
    func contains(_ blob: BackupBlob) throws -> Bool {
        guard let bucket = LineBuckets.bucket(of: blob.description) else { return false }
        return try names(of: bucket).contains(blob.description)
    }
}

/// A list of blobs that is missing or damaged.
struct BlobListDefect: Error, CustomStringConvertible {
    let description: String

    /// - Parameter defect: The list, its target, and its defect.
    init(_ defect: String) {
        description = "the list of blobs \(defect)"
    }
}
