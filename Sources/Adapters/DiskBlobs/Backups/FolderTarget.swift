package import Domain
internal import Glibc
internal import NIOCore

/// Backups in a folder, usually one of another disk: each object is a file, its name the path below the folder.
///
/// Files have mode 0600 and folders 0700. A file is written to `+partial/`, synced, and renamed to its place, whose
/// folder is synced then: readers and crashes see the whole object or none. Names of objects contain no `+`.
package struct FolderTarget: BackupTarget {
    /// The path of the folder.
    package let description: String
    private let root: String
    private let listings = FolderListings()
    private let durable = DurableFolders()

    private static let partial = "+partial"
    /// The age in seconds of a partial file that no process writes any more: its time changes with each write.
    private static let abandoned: Int64 = 24 * 3600

    /// Creates a target.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - isNew: Whether the folder is created if it does not exist and its parent does. Only a backup may do that: a
    ///     folder that another command leaves at a mistyped path, or below a mount point without its mount, looks like
    ///     a new target.
    /// - Throws: ``BackupTargetFailure`` if there is no folder at the path.
    package init(folder: String, creating isNew: Bool) throws(BackupTargetFailure) {
        root = folder
        description = folder
        try FolderTarget.failing("the folder \(folder) cannot be used") {
            let isMade = isNew && mkdir(folder, 0o700) == 0
            if isNew, !isMade { try makeFolder(folder) }
            _ = try Descriptor(folder, O_RDONLY | O_DIRECTORY)
            // Without it a loss of power can take the whole repository. Of a folder that was there, the one above may not
            // be readable, and the name is its owner's matter.
            do { try synchronizeFolder("\(folder)/..") } catch { if isMade { throw error } }
        }
        removeAbandoned()
    }

    @discardableResult
    package func put(_ name: String, fileAt path: String) throws(BackupTargetFailure) -> Int64 {
        try FolderTarget.failing("\(name) cannot be stored in \(root)") {
            let source = try Descriptor(path, O_RDONLY | O_NOFOLLOW)
            return try put(name) { output in
                var size: Int64 = 0
                try forEachPiece(of: source) { piece in
                    try output.write(piece)
                    size += Int64(piece.count)
                }
                return size
            }
        }
    }

    package func put(_ name: String, bytes: [UInt8]) throws(BackupTargetFailure) {
        try FolderTarget.failing("\(name) cannot be stored in \(root)") {
            try put(name) { output in try bytes.withUnsafeBytes { try output.write($0) } }
        }
    }

    @discardableResult
    package func get(_ name: String, toFileAt path: String) throws(BackupTargetFailure) -> Int64 {
        try FolderTarget.failing("\(name) cannot be read from \(root)") {
            let source = try open(name)
            let output = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            var size: Int64 = 0
            try forEachPiece(of: source) { piece in
                try output.write(piece)
                size += Int64(piece.count)
            }
            try output.synchronize()
            return size
        }
    }

    package func get(_ name: String, limit: Int) throws(BackupTargetFailure) -> [UInt8]? {
        do {
            return try FolderTarget.failing("\(name) cannot be read from \(root)") {
                let source = try open(name)
                guard try source.size() <= Int64(limit) else {
                    throw BackupTargetFailure(.tooLarge, "\(root)/\(name) has more than \(limit) bytes")
                }
                let bytes = try source.read(at: 0, count: limit + 1)
                guard bytes.readableBytes <= limit else {
                    throw BackupTargetFailure(.tooLarge, "\(root)/\(name) has more than \(limit) bytes")
                }
                return Array(bytes.readableBytesView)
            }
        } catch {
            guard error.reason == .missing else { throw error }
            return nil
        }
    }

    package func list(prefix: String, after: String?, limit: Int) throws(BackupTargetFailure) -> [BackupObject] {
        try FolderTarget.failing("the folder \(root) cannot be listed") {
            try listings.page(of: root, prefix: prefix, after: after, limit: limit)
        }
    }

    package func remove(_ names: [String]) throws(BackupTargetFailure) {
        try FolderTarget.failing("objects of \(root) cannot be removed") {
            var folders: Set<String> = []
            for name in names {
                let path = try path(of: name)
                guard unlink(path) == 0 else {
                    let number = errno
                    guard number == ENOENT || number == ENOTDIR else { throw failure(of: "unlink", number) }
                    continue
                }
                folders.insert(parent(of: path))
            }
            for folder in folders { try tidy(folder) }
        }
    }

    /// Removes a folder without objects and those above it; syncs the names in the first that stays.
    ///
    /// The folder of the locks stays: a full disk can have no room to make it again for the retention that frees space.
    private func tidy(_ folder: String) throws {
        var folder = folder
        while folder != root, "\(folder)/" != "\(root)/\(BackupLayout.locks)", rmdir(folder) == 0 {
            durable.forget(folder)
            folder = parent(of: folder)
        }
        do {
            try synchronizeFolder(folder)
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
            // Another process removed it, and syncs the folder above.
        }
    }

    /// Writes a file and gives it its name.
    private func put<Result>(_ name: String, _ write: (borrowing Descriptor) throws -> Result) throws -> Result {
        let path = try path(of: name)
        let partial = "\(root)/\(FolderTarget.partial)"
        try makeFolder(partial)
        let draft = "\(partial)/\(RandomString.lowercase(25))"
        let output = try Descriptor(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do {
            let result = try write(output)
            try output.synchronize()
            try move(draft, to: path)
            return result
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Renames a file, with the folders of the new path, and syncs the names.
    private func move(_ draft: String, to path: String) throws {
        let folder = parent(of: path)
        // Another process can remove an empty folder between the two calls.
        for _ in 0..<8 {
            if rename(draft, path) == 0 {
                try synchronizeFolder(folder)
                return try durable.synchronizeNames(from: folder, to: root)
            }
            let number = errno
            guard number == ENOENT else { throw failure(of: "rename", number) }
            try makeFolders(to: folder)
        }
        throw failure(of: "rename", ENOENT)
    }

    private func makeFolders(to folder: String) throws {
        guard folder != root, access(folder, F_OK) != 0 else { return }
        let above = parent(of: folder)
        try makeFolders(to: above)
        try makeFolder(folder)
        durable.forget(folder)
    }

    /// Removes partial files that killed processes left, as far as possible: a folder for reading only stays as it is.
    private func removeAbandoned() {
        let folder = "\(root)/\(FolderTarget.partial)"
        try? forEachEntry(of: folder) { name, _ in
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0 else { return }
            if Int64(time(nil)) - Int64(status.st_mtim.tv_sec) > FolderTarget.abandoned { unlink("\(folder)/\(name)") }
        }
    }

    private func open(_ name: String) throws -> Descriptor {
        let file = try Descriptor(path(of: name), O_RDONLY | O_NOFOLLOW)
        var status = stat()
        try syscall("fstat") { fstat(file.raw, &status) }
        // The name of a folder is the beginning of names, and no name.
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(of: "open", ENOENT) }
        return file
    }

    private func path(of name: String) throws -> String {
        guard BackupObject.isName(name) else {
            throw BackupTargetFailure(.refused, "\(name.debugDescription) is not a name of an object")
        }
        return "\(root)/\(name)"
    }

    private func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? root
    }

    private func forEachPiece(
        of source: borrowing Descriptor,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        let descriptor = source.raw
        while true {
            let count = try syscall("read") { read(descriptor, buffer.baseAddress, buffer.count) }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Runs a body and names its failed system call: "<what>: open: Permission denied".
    private static func failing<Result>(
        _ what: String,
        _ body: () throws -> Result
    ) throws(BackupTargetFailure) -> Result {
        do {
            return try body()
        } catch let error as BackupTargetFailure {
            throw error
        } catch {
            guard let cause = (error as? ServiceError)?.cause as? SyscallError else {
                throw BackupTargetFailure(.unavailable, "\(what): \(error)")
            }
            throw BackupTargetFailure(reason(of: cause.number), "\(what): \(cause)")
        }
    }

    private static func reason(of number: CInt) -> BackupTargetFailure.Reason {
        switch number {
        case ENOENT, ENOTDIR: .missing
        case EACCES, EPERM, EROFS, ELOOP: .refused
        case ENOSPC, EDQUOT, EFBIG: .full
        default: .unavailable
        }
    }
}
