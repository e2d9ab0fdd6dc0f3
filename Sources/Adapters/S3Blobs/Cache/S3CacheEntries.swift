internal import Glibc

/// The files of a cache in the order of their use, up to a number of bytes.
struct S3CacheEntries {
    struct Entry: Sendable, Equatable {
        let sha256: String
        let size: Int64
        /// The file as it was when its bytes were compared with the digest; `nil` before that.
        var stamp: S3FileStamp?
        fileprivate var lastUse: UInt64 = 0

        init(sha256: String, size: Int64, stamp: S3FileStamp?) {
            self.sha256 = sha256
            self.size = size
            self.stamp = stamp
        }

        /// The name of the file in the cache's folder; the digest is known also to the next process.
        func fileName(_ name: S3CacheName) -> String { "\(name).\(sha256)" }
    }

    private let bound: Int64
    private var entries: [S3CacheName: Entry] = [:]
    private(set) var total: Int64 = 0
    private var uses: UInt64 = 0

    init(bound: Int64) { self.bound = bound }

    /// The entry of a name, which counts as a use.
    mutating func use(_ name: S3CacheName) -> Entry? {
        uses += 1
        entries[name]?.lastUse = uses
        return entries[name]
    }

    /// Adds an entry, and removes those that were not used for the longest time.
    ///
    /// Removes a tenth of the bytes more than it must, so that the order is not computed for each new entry.
    ///
    /// - Returns: The names of the files to remove, possibly that of the new entry.
    mutating func add(_ entry: Entry, as name: S3CacheName) -> [String] {
        var removed = remove(name).map { [$0] } ?? []
        removed.removeAll { $0 == entry.fileName(name) }
        uses += 1
        var entry = entry
        entry.lastUse = uses
        entries[name] = entry
        total += entry.size
        guard total > bound else { return removed }
        for (old, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard total > bound - bound / 10 else { break }
            // The newest alone can take more than nine tenths.
            if old == name, total <= bound { break }
            if let file = remove(old) { removed.append(file) }
        }
        return removed
    }

    /// Notes that the bytes of an entry were compared with its digest.
    mutating func confirm(_ name: S3CacheName, _ stamp: S3FileStamp) { entries[name]?.stamp = stamp }

    /// Removes an entry; returns the name of its file.
    mutating func remove(_ name: S3CacheName) -> String? {
        guard let entry = entries.removeValue(forKey: name) else { return nil }
        total -= entry.size
        return entry.fileName(name)
    }
}

/// What changes when another program changes a file.
struct S3FileStamp: Sendable, Equatable {
    private let numbers: [Int]
    let size: Int64

    init(_ status: stat) {
        size = Int64(status.st_size)
        numbers = [
            Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec,
        ]
    }
}
