package import Domain
internal import Glibc

/// The files in an app's folder, as `lcfile check` reads them.
package struct FolderBlobs: CheckedBlobs {
    let folder: String
    let trash: TrashLayout
    let source: BlobSource
    private let layout: BlobLayout

    /// The name of the folder to which a repair moves what no record names.
    static let lostAndFound = "lost+found"
    private static let maxForeign = 1000
    /// The names of the folders in `blobs` and `trash`.
    private static let bytes = Set((UInt8.min...UInt8.max).map { [$0].hexadecimal })
    private static let day = 86_400

    /// Creates the access to an app's folder; opens nothing.
    package init(folder: String) {
        self.folder = folder
        layout = BlobLayout(reading: folder)
        trash = TrashLayout(folder: folder)
        source = BlobSource(folder: folder, acceptsLostFolders: true)
    }

    package func names(beginningWith byte: UInt8) throws -> BlobFolderNames {
        var found = BlobFolderNames()
        let prefix = [byte].hexadecimal
        if byte == .min { try addOthers(&found.foreign, in: "blobs") }
        try add(&found, prefix: prefix, in: "blobs/\(prefix)", depth: 1)
        found.blobs.sort()
        return found
    }

    /// Adds what is beside the 256 folders of a folder; called with the first of them, so that each is found once.
    func addOthers(_ foreign: inout [String], in path: String) throws {
        guard canList(path, &foreign) else { return }
        try forEachName(in: "\(folder)/\(path)") { name in
            if !FolderBlobs.bytes.contains(name) { FolderBlobs.add("\(path)/\(name)", &foreign) }
        }
    }

    /// Whether a path can be listed; a file in the place of a folder is added to the foreign ones.
    func canList(_ path: String, _ foreign: inout [String]) -> Bool {
        var status = stat()
        if stat("\(folder)/\(path)", &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { return true }
        } else {
            let number = errno
            // A file in the place of the folder above was added before.
            if number == ENOTDIR { return false }
            // Only a link that leads nowhere exists; the listing reports other errors.
            guard number == ENOENT, lstat("\(folder)/\(path)", &status) == 0 else { return true }
        }
        FolderBlobs.add(path, &foreign)
        return false
    }

    static func add(_ path: String, _ foreign: inout [String]) {
        if foreign.count < maxForeign { foreign.append(path) }
    }

    /// Adds the names of a folder, and of those in it that an earlier version made.
    private func add(_ found: inout BlobFolderNames, prefix: String, in path: String, depth: Int) throws {
        guard canList(path, &found.foreign) else { return }
        var subfolders: [String] = []
        try forEachName(in: "\(folder)/\(path)") { name in
            if let blob = BlobName(name), name.hasPrefix(prefix) {
                found.blobs.append(blob)
            } else if depth == 1, name.utf8.count == 2, isFolder("\(folder)/\(path)/\(name)") {
                subfolders.append(name)
            } else {
                FolderBlobs.add("\(path)/\(name)", &found.foreign)
            }
        }
        for name in subfolders { try add(&found, prefix: prefix + name, in: "\(path)/\(name)", depth: 2) }
    }

    private func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    package func check(_ files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try source.check(files, comparingDigests: comparingDigests, droppingPages: true)
    }

    package func has(_ blob: BlobName) -> Bool {
        layout.paths(of: blob).contains { access($0, F_OK) == 0 }
    }

    package func staged() throws -> StagedNames {
        var found = StagedNames()
        let now = time(nil)
        guard canList("staging", &found.foreign) else { return found }
        try forEachName(in: layout.staging) { name in
            var status = stat()
            guard lstat("\(layout.staging)/\(name)", &status) == 0 else { return }
            if Int(now) - Int(status.st_mtim.tv_sec) > FolderBlobs.day { found.old.insert(name) }
            if let id = ObjectID(name) {
                found.uploads.append((name, id))
            } else if let note = CommitNote(fileName: name) {
                found.notes.append(note)
            } else if name.hasPrefix(DiskStagingArea.draft) || name.hasPrefix(DiskBlobStore.copy) {
                found.drafts.append(name)
            } else {
                found.foreign.append("staging/\(name)")
            }
        }
        return found
    }

    package func forEachBrokenDerivative(comparingDigests: Bool, _ body: (String) throws -> Void) throws {
        let derivatives = DerivativeLayout(folder: folder)
        for byte in UInt8.min...UInt8.max {
            try derivatives.forEachBroken(on: byte, comparingDigests: comparingDigests) { path in
                try body(String(path.dropFirst(folder.utf8.count + 1)))
            }
        }
    }

    package func scrubState() -> ScrubState? {
        try? DiskScrubJournal.load(in: folder)
    }

    package func noteSuspects(_ ids: [ObjectID]) -> Bool {
        ids.allSatisfy { id in
            let path = "\(folder)/\(DiskScrubJournal.suspects)/\(id)"
            return (try? Descriptor(path, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)) != nil
        }
    }

    package func moveToLostAndFound(_ blob: BlobName) throws -> String {
        for path in layout.paths(of: blob) where access(path, F_OK) == 0 {
            return try move(path, to: "\(blob)")
        }
        throw failure(of: "rename", ENOENT)
    }

    /// A folder has no claims.
    package func isUnended(_ put: UnendedPut) -> Bool { false }

    /// A folder has no claims.
    package func abandon(_ put: UnendedPut) -> String? { nil }

    package func removeAll(of blob: BlobName) throws {
        for folder in try layout.removeName(of: blob) { try synchronizeIfThere(folder) }
    }

    package func moveToLostAndFound(staged name: String) throws -> String {
        try move("\(layout.staging)/\(name)", to: "staging-\(name)")
    }

    package func removeDerivative(_ path: String) throws {
        _ = try DiskBlobStore.unlinkBlob("\(folder)/\(path)")
    }

    /// Moves a file, and syncs both folders; never over another file.
    func move(_ path: String, to name: String) throws -> String {
        let target = "\(folder)/\(FolderBlobs.lostAndFound)"
        try makeFolder(target)
        var free = name
        var number = 1
        while access("\(target)/\(free)", F_OK) == 0 {
            number += 1
            free = "\(name).\(number)"
        }
        guard rename(path, "\(target)/\(free)") == 0 else { throw failure(of: "rename", errno) }
        for folder in [target, layout.parent(path), folder] { try synchronizeFolder(folder) }
        return "\(FolderBlobs.lostAndFound)/\(free)"
    }
}
