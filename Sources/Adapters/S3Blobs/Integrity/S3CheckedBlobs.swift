package import Domain
package import S3
internal import Synchronization

/// The objects of an app in a bucket, as `lcfile check` reads them.
///
/// Every call blocks. The sizes of blobs come from the lists of their names, so that they cost no request of their own.
package final class S3CheckedBlobs: Sendable {
    let bucket: S3BlobBucket
    /// The blobs of the last list, until they are compared for the first time.
    private let listed = Mutex<[BlobName: S3BlobListing]>([:])

    /// The number of requests at the same time.
    static let threads = 16
    static let maxForeign = 1000
    private static let day: Int64 = 86_400

    private let clock: @Sendable () -> Timestamp

    /// Creates the access; sends no request.
    ///
    /// - Parameters:
    ///   - client: The client of the bucket.
    ///   - layout: The names of the app's objects.
    ///   - encryption: How blobs are encrypted; `nil` if they are not.
    ///   - clock: The time by which bytes and puts are old.
    package init(
        _ client: S3Client,
        layout: S3BlobLayout,
        encryption: BlobEncryption? = nil,
        clock: @escaping @Sendable () -> Timestamp = { .now() }
    ) {
        bucket = S3BlobBucket(client: client, layout: layout, encryption: encryption)
        self.clock = clock
    }

    /// Objects that were written before it were not written to for a day.
    private var dayAgo: Int64 { clock().wholeSeconds - S3CheckedBlobs.day }

    /// The blobs whose names begin with a byte; claims of puts that go on are none.
    package func names(beginningWith byte: UInt8) throws -> BlobFolderNames {
        let folder = "\(bucket.layout.blobsPrefix)\([byte].hexadecimal)/"
        var found = BlobFolderNames()
        var objects: [BlobName: [S3Object]] = [:]
        var written: [String: Int64] = [:]
        let old = dayAgo
        for object in try all(folder) {
            let parts = object.key.dropFirst(folder.count).split(separator: ".", maxSplits: 1)
            if parts.count == 2, let blob = BlobName(parts[0]) {
                objects[blob, default: []].append(object)
                if object.key.hasSuffix(S3BlobLayout.claimSuffix) { written[object.key] = object.modified }
            } else if found.foreign.count < S3CheckedBlobs.maxForeign {
                found.foreign.append(String(object.key.dropFirst(bucket.layout.root.count)))
            }
        }
        let listings = objects.map { blob, objects in
            (blob, S3BlobListing(objects, prefix: bucket.layout.prefix(of: blob)))
        }
        found.blobs = listings.filter { !$1.committed.isEmpty }.map(\.0).sorted()
        found.puts = listings.flatMap { blob, listing in
            listing.entries.filter(\.isClaimed).map { entry -> UnendedPut in
                let claim = bucket.layout.claim(of: blob, entry.file)
                return UnendedPut(blob: blob, file: entry.file, isOld: written[claim] ?? .max < old)
            }
        }.sorted { ($0.blob, $0.file) < ($1.blob, $1.file) }
        listed.withLock { $0 = Dictionary(uniqueKeysWithValues: listings) }
        return found
    }

    /// Compares blobs with their records, several at a time; returns their conditions in the same order.
    package func check(_ files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try inParallel(files, threads: S3CheckedBlobs.threads) { [self] file in
            let blob = BlobName(file.key)
            let known = listed.withLock { $0.removeValue(forKey: blob) }
            let listing = try known ?? bucket.listing(of: blob)
            if let own = listing.blobs(of: file.blob).last {
                return try compare(own.blob, own.file, file, comparingDigests: comparingDigests)
            }
            // Another one's is the file's if it has the bytes.
            guard let other = try listing.blob(for: file.blob) else { return .missing }
            let condition = try compare(other.blob, other.file, file, comparingDigests: true)
            return condition == .whole ? .whole : .missing
        }
    }

    /// The name of the object of a file's blob; `nil` if it is missing.
    ///
    /// - Throws: `S3Error`.
    package func name(of file: FileEntry) throws(S3Error) -> String? {
        try bucket.listing(of: BlobName(file.key)).blob(for: file.blob)?.blob.key
    }

    /// Whether a key has a blob; `true` if that is unknown.
    package func has(_ blob: BlobName) -> Bool {
        (try? !bucket.listing(of: blob).committed.isEmpty) ?? true
    }

    /// Compares bytes in the trash with their records.
    package func check(trashed files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try inParallel(files, threads: S3CheckedBlobs.threads) { [self] file in
            guard let trashed = try bucket.trashed(file.id) else { return .missing }
            return try compare(trashed.bytes, trashed.file, file, comparingDigests: comparingDigests)
        }
    }

    /// Whether the trash has the bytes of an entry; `true` if that is unknown.
    package func hasTrashed(_ entry: ObjectID) -> Bool {
        (try? bucket.trashed(entry) != nil) ?? true
    }

    /// The bytes in the trash whose entries' ids end with a byte.
    ///
    /// An id ends with two hexadecimal digits, so all of them are found.
    package func trashNames(endingWith byte: UInt8) throws -> TrashFolderNames {
        let folder = "\(bucket.layout.root)trash/\([byte].hexadecimal)/"
        var found = TrashFolderNames()
        for object in try all(folder) {
            let parts = object.key.dropFirst(folder.count).split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 2, let entry = ObjectID(String(parts[0])), ObjectID(String(parts[1])) != nil {
                found.entries.append(entry)
            } else if found.foreign.count < S3CheckedBlobs.maxForeign {
                found.foreign.append(String(object.key.dropFirst(bucket.layout.root.count)))
            }
        }
        return found
    }

    /// The notes of all servers, and the staged bytes that were not written to for a day.
    ///
    /// Others can be in use by servers that a repair does not stop. Names are those of objects below `staging/`.
    package func staged() throws -> StagedNames {
        let root = bucket.layout.stagingPrefix
        let names = StagingNames(root: root)
        var found = StagedNames()
        var newest: [StagingNames.Folder: Int64] = [:]
        for object in try all(root) {
            if let folder = names.folder(ofSegment: object.key) {
                newest[folder] = max(newest[folder] ?? 0, object.modified)
            } else if let note = names.note(named: object.key) {
                found.notes.append(note.commit)
            } else if !object.key.hasPrefix(names.servers) {
                found.foreign.append(String(object.key.dropFirst(bucket.layout.root.count)))
            }
        }
        let old = dayAgo
        for (folder, modified) in newest where modified < old {
            let name = String(names.segments(in: folder).dropFirst(root.count).dropLast())
            found.old.insert(name)
            switch folder {
            case .upload(let id): found.uploads.append((name, id))
            case .draft: found.drafts.append(name)
            }
        }
        return found
    }

    /// Moves the blobs of a key that no record names to `lost+found`, and returns their name there.
    package func moveToLostAndFound(_ blob: BlobName) throws -> String {
        let prefix = bucket.layout.prefix(of: blob)
        let folder = "\(bucket.layout.blobsPrefix)\(blob.description.prefix(2))/"
        return try move(try all(prefix), behind: folder, "\(blob)")
    }

    /// Whether the claim of a put is there.
    package func isUnended(_ put: UnendedPut) throws -> Bool {
        try bucket.client.head(bucket.layout.claim(of: put.blob, put.file)) != nil
    }

    /// Moves the bytes of a put to `lost+found`, and then removes its claim; returns the bytes' name there.
    package func abandon(_ put: UnendedPut) throws -> String? {
        let name = bucket.layout.name(of: put.blob, put.file)
        let target = "lost+found/\(put.blob).\(put.file)"
        let hasBytes = try bucket.client.head(name) != nil
        if hasBytes { try bucket.client.copy(name, to: bucket.layout.root + target) }
        try bucket.abortUploads(of: put.blob, put.file)
        try bucket.withdraw(put.blob, of: put.file)
        listed.withLock { _ = $0.removeValue(forKey: put.blob) }
        return hasBytes ? target : nil
    }

    /// Removes all objects of a key.
    package func removeAll(of blob: BlobName) throws {
        listed.withLock { _ = $0.removeValue(forKey: blob) }
        // Blobs before claims, so that no reader takes one for a blob whose put has ended.
        let keys = try all(bucket.layout.prefix(of: blob)).map(\.key)
        let (claims, blobs) = (keys.filter { $0.hasSuffix(S3BlobLayout.claimSuffix) }, keys)
        try bucket.client.delete(blobs.filter { !claims.contains($0) })
        try bucket.client.delete(claims)
    }

    /// Moves bytes that no entry of the trash names to `lost+found`, and returns their name there.
    package func moveToLostAndFound(trashed entry: ObjectID) throws -> String {
        let prefix = bucket.layout.prefix(ofTrashed: entry)
        return try move(try all(prefix), behind: prefix, "trash-\(entry)", separator: ".")
    }

    /// Moves staged bytes to `lost+found`, and returns their name there.
    package func moveToLostAndFound(staged name: String) throws -> String {
        let prefix = "\(bucket.layout.stagingPrefix)\(name)/"
        return try move(try all(prefix), behind: prefix, "staging/\(name)", separator: "/")
    }

    /// Copies objects below `lost+found/`, and then removes them.
    private func move(
        _ objects: [S3Object],
        behind prefix: String,
        _ name: String,
        separator: String? = nil
    ) throws -> String {
        let target = "lost+found/\(name)"
        for object in objects {
            let rest = object.key.dropFirst(prefix.count)
            let key = separator.map { "\(target)\($0)\(rest)" } ?? "lost+found/\(rest)"
            try bucket.client.copy(object.key, to: bucket.layout.root + key)
        }
        try bucket.client.delete(objects.map(\.key))
        return target
    }

    private func compare(
        _ object: S3Object,
        _ name: ObjectID,
        _ file: FileEntry,
        comparingDigests: Bool
    ) throws -> BlobCondition {
        if bucket.encryption != nil, !comparingDigests {
            let trailer = SealedTrailer(
                app: bucket.layout.app,
                file: name,
                size: file.facts.size,
                digest: file.facts.digest,
                runs: []
            )
            if trailer.canHave(objectSize: object.size) { return .whole }
        }
        do {
            let stored = try S3StoredBlob(object, in: bucket)
            return try compare(stored, file, comparingDigests: comparingDigests)
        } catch let error as S3Error where error.reason == .missing {
            return .missing
        } catch let error as ServiceError {
            guard let cause = error.cause as? UnreadableBlob else { throw error }
            return .damaged("cannot be read: \(cause)")
        }
    }

    private func compare(
        _ stored: S3StoredBlob,
        _ file: FileEntry,
        comparingDigests: Bool
    ) throws -> BlobCondition {
        guard stored.size == file.facts.size else { return .wrongSize(stored.size, file.facts) }
        guard comparingDigests, stored.size > 0 else { return .whole }
        var hasher = BlobHasher(like: file.facts.digest)
        try stored.read(0..<stored.size, from: bucket.client) { hasher.update($0) }
        return hasher.digest == file.facts.digest ? .whole : .otherBytes(than: file.facts)
    }

    /// All objects whose names begin with a prefix.
    private func all(_ prefix: String) throws -> [S3Object] {
        var found: [S3Object] = []
        while true {
            let page = try bucket.client.list(prefix: prefix, after: found.last?.key)
            found += page.objects.filter { $0.key.hasPrefix(prefix) }
            guard page.hasMore, !page.objects.isEmpty else { return found }
        }
    }
}
