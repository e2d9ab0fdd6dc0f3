internal import Crypto
internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// A cache of objects and pieces of objects as files of a folder, up to a number of bytes.
///
/// A file gets its name, which has the SHA-256 of its bytes, when it is complete. Its bytes are compared with that digest
/// before they are served for the first time, and again after the file was changed from outside: a damaged file is
/// removed and fetched again. Files survive a restart, and those that were not used for the longest time go first. Open
/// files stay readable when they are removed. The folder belongs to one process; its disk needs no syncs.
package final class S3FileCache: Sendable {
    private let folder: String
    private let entries: Mutex<S3CacheEntries>
    /// The files that arrive at the moment.
    private let arrivals = Mutex<[S3CacheName: S3Arrival]>([:])
    private let hitCount = Atomic(0)
    private let missCount = Atomic(0)

    private static let unfinished = "fetch-"

    /// Opens a folder, or creates it, and removes unfinished files; blocks.
    ///
    /// - Parameters:
    ///   - folder: The folder; the one above it must exist.
    ///   - bound: The maximum number of bytes in complete files.
    /// - Throws: An error if the folder cannot be created or read.
    package init(folder: String, bound: Int64) throws {
        self.folder = folder
        self.bound = bound
        entries = Mutex(S3CacheEntries(bound: bound))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw CacheFailure("mkdir", errno) }
        try load()
    }

    /// The maximum number of bytes in complete files.
    package let bound: Int64

    /// The number of bytes in complete files.
    package var size: Int64 { entries.withLock(\.total) }

    /// How many files were read from the disk.
    package var hits: Int { hitCount.load(ordering: .relaxed) }

    /// How many files were fetched from the store.
    package var misses: Int { missCount.load(ordering: .relaxed) }

    /// The file of a name, which is fetched if the cache does not have it; several callers share one fetch.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - threads: Threads for all blocking calls.
    ///   - fetch: Writes the bytes; blocks.
    /// - Returns: The file, with only these bytes.
    /// - Throws: ``CacheFailure`` if the disk fails; errors of the fetch.
    func file(
        _ name: S3CacheName,
        on threads: S3Threads,
        fetch: @escaping @Sendable (S3CacheWriter) throws -> Void
    ) async throws -> LocalFile {
        try await arrival(name, on: threads, fetch: fetch).whole().file
    }

    /// The arrival of the file of a name: over, if the cache has it; otherwise of a fetch that all callers share, and
    /// which goes on without them.
    ///
    /// - Parameters: Those of ``file(_:on:fetch:)``.
    func arrival(
        _ name: S3CacheName,
        on threads: S3Threads,
        fetch: @escaping @Sendable (S3CacheWriter) throws -> Void
    ) async throws -> S3Arrival {
        if let file = try await cached(name, on: threads) { return S3Arrival(file) }
        let (arrival, isNew) = arrivals.withLock { arrivals in
            if let arrival = arrivals[name] { return (arrival, false) }
            let arrival = S3Arrival()
            arrivals[name] = arrival
            return (arrival, true)
        }
        if isNew {
            Task {
                let result: Result<LocalFile, any Error>
                do {
                    result = .success(try await complete(name, arrival, on: threads, fetch))
                } catch {
                    result = .failure(error)
                }
                // A complete file has its entry already, so that no other caller begins to fetch it.
                arrivals.withLock { $0[name] = nil }
                arrival.end(result)
            }
        }
        return arrival
    }

    private func complete(
        _ name: S3CacheName,
        _ arrival: S3Arrival,
        on threads: S3Threads,
        _ fetch: @escaping @Sendable (S3CacheWriter) throws -> Void
    ) async throws -> LocalFile {
        // Another fetch can have ended since the caller looked.
        if let file = try await cached(name, on: threads) { return file }
        missCount.wrappingAdd(1, ordering: .relaxed)
        return try await threads.run { [self] in try store(name, arrival, fetch) }
    }

    private func cached(_ name: S3CacheName, on threads: S3Threads) async throws -> LocalFile? {
        guard let entry = entries.withLock({ $0.use(name) }) else { return nil }
        return try await threads.run { [self] in
            if let file = openIntact(name, entry) {
                hitCount.wrappingAdd(1, ordering: .relaxed)
                return file
            }
            remove(name, entry)
            return nil
        }
    }

    /// Opens the file of an entry; `nil` if it is not there or has other bytes than those that were fetched; blocks.
    private func openIntact(_ name: S3CacheName, _ entry: S3CacheEntries.Entry) -> LocalFile? {
        guard let file = openFile(entry.fileName(name)), let before = file.stamp, before.size == entry.size else {
            return nil
        }
        if before == entry.stamp { return file }
        guard file.sha256(size: entry.size) == entry.sha256, file.stamp == before else { return nil }
        entries.withLock { $0.confirm(name, before) }
        return file
    }

    private func remove(_ name: S3CacheName, _ entry: S3CacheEntries.Entry) {
        let file = entries.withLock { $0.remove(name) }
        if let file { unlink("\(folder)/\(file)") }
    }

    private func store(
        _ name: S3CacheName,
        _ arrival: S3Arrival,
        _ fetch: (S3CacheWriter) throws -> Void
    ) throws -> LocalFile {
        let writer = try S3CacheWriter("\(folder)/\(S3FileCache.unfinished)\(RandomString.lowercase(25))", arrival)
        // After the rename there is nothing under this name.
        defer { unlink(writer.path) }
        try fetch(writer)
        var entry = writer.entry
        guard rename(writer.path, "\(folder)/\(entry.fileName(name))") == 0 else { throw CacheFailure("rename", errno) }
        // The rename can change a time of the file.
        entry.stamp = writer.file.stamp
        let removed = entries.withLock { $0.add(entry, as: name) }
        for old in removed { unlink("\(folder)/\(old)") }
        return writer.file
    }

    private func openFile(_ name: String) -> LocalFile? {
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        return descriptor < 0 ? nil : LocalFile(owning: descriptor)
    }

    /// Reads the names of the folder, the oldest files first.
    private func load() throws {
        guard let stream = opendir(folder) else { throw CacheFailure("opendir", errno) }
        defer { closedir(stream) }
        var found: [(name: S3CacheName, entry: S3CacheEntries.Entry, time: Int)] = []
        while let item = readdir(stream) {
            let text = withUnsafeBytes(of: &item.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if text.hasPrefix(S3FileCache.unfinished) { unlink("\(folder)/\(text)") }
            let parts = text.split(separator: ".")
            var status = stat()
            guard parts.count == 2, let name = S3CacheName(parts[0]), parts[1].utf8.count == 64,
                lstat("\(folder)/\(text)", &status) == 0
            else { continue }
            let entry = S3CacheEntries.Entry(sha256: String(parts[1]), size: Int64(status.st_size), stamp: nil)
            found.append((name, entry, status.st_mtim.tv_sec))
        }
        for item in found.sorted(by: { $0.time < $1.time }) {
            let removed = entries.withLock { $0.add(item.entry, as: item.name) }
            for old in removed { unlink("\(folder)/\(old)") }
        }
    }
}
