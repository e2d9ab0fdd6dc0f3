internal import Crypto
package import Domain

/// A backup target with the snapshots of apps, and their continuous backups (docs/backup.md).
package struct BackupRepository: Sendable {
    /// Where the objects are.
    package let target: any BackupTarget

    private static let maxFormatSize = 4096

    /// Opens a repository.
    ///
    /// - Parameters:
    ///   - target: Where the objects are.
    ///   - isNew: Whether an empty target becomes a repository.
    /// - Throws: ``ExitError`` if there is none, or one of a newer version.
    package init(_ target: any BackupTarget, creating isNew: Bool = false) throws {
        self.target = target
        let bytes = try BackupRepository.complaining {
            try target.get(BackupLayout.format, limit: BackupRepository.maxFormatSize)
        }
        guard let bytes else {
            guard isNew else { throw ExitError.storage("\(target) is not a backup repository") }
            guard try BackupRepository.canBegin(in: target) else {
                throw ExitError.storage("\(target) is not empty, and not a backup repository; use another folder")
            }
            try BackupRepository.complaining {
                let format = JSONValue.object(["format": .integer(Int64(BackupManifest.format))])
                try target.put(BackupLayout.format, bytes: format.encoded())
            }
            return
        }
        let format = (try? JSONValue(parsing: bytes, field: "format"))?.objectValue?["format"]?.integerValue
        guard let format else {
            throw ExitError.storage("\(BackupLayout.format) in \(target) cannot be read")
        }
        guard format == Int64(BackupManifest.format) else {
            throw ExitError.storage(
                "the backup repository \(target) has format \(format); use the version of lcfile that wrote it"
            )
        }
    }

    /// Whether a target without a repository can become one: it has no objects.
    ///
    /// Empty folders, and files whose names no object has, are what file systems add of themselves.
    ///
    /// - Parameter target: The target.
    /// - Returns: Whether it has no objects.
    /// - Throws: ``ExitError`` if it cannot be listed.
    package static func canBegin(in target: any BackupTarget) throws -> Bool {
        try complaining { try target.list(prefix: "", after: nil, limit: 1).isEmpty }
    }

    /// Whether a folder is a backup repository, and not a backup of its own.
    package static func exists(inFolder folder: String) -> Bool {
        StorageContents.exists("\(folder)/\(BackupLayout.format)")
    }

    /// The apps that have objects.
    func apps() throws -> [AppID] {
        try BackupRepository.complaining {
            var apps: [AppID] = []
            var last: String?
            while let object = try target.list(prefix: "", after: last, limit: 1).first {
                let name = object.name.prefix { $0 != "/" }
                if let app = AppID(String(name)), name.count < object.name.count {
                    apps.append(app)
                    last = BackupLayout(app).end
                } else {
                    last = object.name
                }
            }
            return apps
        }
    }

    /// The whole snapshots of an app, from old to new.
    ///
    /// - Throws: ``ExitError`` if a manifest cannot be read.
    func snapshots(of app: AppID) throws -> [Snapshot] {
        try snapshots(of: app) { damage in throw ExitError.storage(damage.description) }
    }

    /// The whole snapshots of an app whose manifests can be read, from old to new.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - onDamage: Called with each other manifest.
    /// - Returns: The snapshots.
    /// - Throws: ``ExitError`` if the repository cannot be read, and what the closure throws.
    func snapshots(of app: AppID, onDamage: (DamagedManifest) throws -> Void) throws -> [Snapshot] {
        let layout = BackupLayout(app)
        return try parts(of: app).keys.sorted().compactMap { time in
            try manifest(of: .snapshot(time), layout, onDamage).map { manifest in
                Snapshot(layout: layout, time: time, manifest: manifest)
            }
        }
    }

    /// The objects of all snapshots of an app, also of those without a manifest.
    func parts(of app: AppID) throws -> [SnapshotTime: [BackupObject]] {
        let layout = BackupLayout(app)
        var parts: [SnapshotTime: [BackupObject]] = [:]
        try forEachObject(layout.snapshots) { object in
            let name = object.name.dropFirst(layout.snapshots.count).prefix { $0 != "/" }
            if let time = SnapshotTime(name) { parts[time, default: []].append(object) }
        }
        return parts
    }

    /// Calls a body with all objects whose names begin with a prefix, in order, until it returns `false`.
    func scanObjects(_ prefix: String, while body: (BackupObject) throws -> Bool) throws {
        let pageSize = 1000
        try BackupRepository.complaining {
            var last: String?
            while true {
                let page = try target.list(prefix: prefix, after: last, limit: pageSize)
                for object in page { guard try body(object) else { return } }
                guard page.count == pageSize else { return }
                last = page.last?.name
            }
        }
    }

    /// Calls a body with all objects whose names begin with a prefix, in order.
    func forEachObject(_ prefix: String, _ body: (BackupObject) throws -> Void) throws {
        try scanObjects(prefix) { object in
            try body(object)
            return true
        }
    }

    /// The manifest of a snapshot or a generation; `nil` if there is none, so that it is not whole, or a damaged one.
    func manifest(
        of owner: DamagedManifest.Owner,
        _ layout: BackupLayout,
        _ onDamage: (DamagedManifest) throws -> Void
    ) throws -> BackupManifest? {
        let damage = DamagedManifest(layout: layout, owner: owner, target: target.description)
        let bytes: [UInt8]?
        do {
            bytes = try target.get(damage.object, limit: BackupManifest.maxSize)
        } catch {
            guard error.reason == .tooLarge else { throw ExitError.storage(error.description) }
            bytes = []
        }
        guard let bytes else { return nil }
        if let manifest = BackupManifest(bytes) { return manifest }
        try onDamage(damage)
        return nil
    }

    /// Whether a retention has removed what a manifest describes: the manifest goes first.
    func lacks(manifest name: String) throws -> Bool {
        try BackupRepository.complaining { try target.get(name, limit: BackupManifest.maxSize) == nil }
    }

    /// Reads an object to a new file and compares it with the manifest.
    ///
    /// - Returns: The defect, which continues the object's name; `nil` if it is intact.
    func get(_ name: String, as content: BackupManifest.Content, to path: String) throws -> String? {
        do {
            try target.get(name, toFileAt: path)
        } catch {
            guard error.reason == .missing else { throw ExitError.storage(error.description) }
            return "is missing"
        }
        let found = try BackupRepository.content(of: path)
        if found.size != content.size { return "has \(found.size) bytes, not \(content.size)" }
        return found == content ? nil : "has other bytes than were stored"
    }

    /// The size and SHA-256 of a file.
    static func content(of path: String) throws -> BackupManifest.Content {
        var hash = SHA256()
        var size: Int64 = 0
        try FileBytes.forEachPiece(of: path) { piece in
            hash.update(bufferPointer: piece)
            size += Int64(piece.count)
        }
        return BackupManifest.Content(size: size, sha256: hash.finalize().hexadecimal)
    }

    /// Runs a body; failures of the target become messages for the operator.
    static func complaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as BackupTargetFailure {
            throw ExitError.storage(failure.description)
        }
    }
}
