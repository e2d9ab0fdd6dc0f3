internal import Domain
internal import Glibc
internal import Synchronization

/// Lists the objects of a ``FolderTarget`` page by page, in the order of the bytes of whole names.
///
/// A folder is read once for all pages that follow each other in it, so memory holds the names of one folder and of
/// those above it. A page that continues another can therefore miss an object that was stored after the first.
final class FolderListings: Sendable {
    /// The names of a folder in order; that of a folder has a slash at its end, with which it sorts among whole names.
    private typealias Names = [String]

    /// What the last page read.
    private struct Progress {
        var names: [String: Names] = [:]
        var end: String?
    }

    private let progress = Mutex(Progress())

    /// Lists objects below a folder, as ``BackupTarget/list(prefix:after:limit:)`` does.
    func page(of root: String, prefix: String, after: String?, limit: Int) throws -> [BackupObject] {
        let known = progress.withLock { $0.end != nil && $0.end == after ? $0.names : [:] }
        var page = Page(root: root, prefix: prefix, after: after, limit: limit, names: known)
        try page.collect(in: "")
        let end = page.objects.last?.name
        let names = page.names.filter { folder, _ in end?.hasPrefix(folder) == true }
        progress.withLock { $0 = Progress(names: names, end: end) }
        return page.objects
    }

    /// A page while it is filled.
    private struct Page {
        let root: String
        let prefix: String
        let after: String?
        let limit: Int
        var names: [String: Names]
        var objects: [BackupObject] = []

        /// Adds the objects below a folder; `folder` is empty or ends with a slash.
        mutating func collect(in folder: String) throws {
            let names = try names(in: folder)
            var index = firstIndex(of: names, in: folder)
            while index < names.count, objects.count < limit {
                let name = folder + names[index]
                index += 1
                if name.hasSuffix("/") {
                    if name.hasPrefix(prefix) || prefix.hasPrefix(name) { try collect(in: name) }
                } else if name.hasPrefix(prefix), let object = try object(name) {
                    objects.append(object)
                }
            }
        }

        /// The first name that is behind `after`, or a folder of such names; found by halving.
        private func firstIndex(of names: Names, in folder: String) -> Int {
            guard let after else { return 0 }
            var range = names.startIndex..<names.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                let name = folder + names[middle]
                if name > after || (name.hasSuffix("/") && after.hasPrefix(name)) {
                    range = range.lowerBound..<middle
                } else {
                    range = middle + 1..<range.upperBound
                }
            }
            return range.lowerBound
        }

        private mutating func names(in folder: String) throws -> Names {
            if let known = names[folder] { return known }
            var found: Names = []
            do {
                try forEachEntry(of: "\(root)/\(folder)") { name, isFolder in
                    guard name.utf8.allSatisfy(BackupObject.isNameByte) else { return }
                    found.append(isFolder ? "\(name)/" : name)
                }
            } catch let error as ServiceError
                where (error.cause as? SyscallError)?.number == ENOENT && !folder.isEmpty
            {
                // It was removed meanwhile.
            }
            found.sort()
            names[folder] = found
            return found
        }

        /// The object of a file; `nil` for a file that was removed meanwhile, and for links and devices.
        ///
        /// - Throws: The error of any other failure: without a list of blobs in the page, a retention would remove
        ///   those that only this list names.
        private func object(_ name: String) throws -> BackupObject? {
            var status = stat()
            guard lstat("\(root)/\(name)", &status) == 0 else {
                let number = errno
                guard number == ENOENT || number == ENOTDIR else { throw failure(of: "lstat", number) }
                return nil
            }
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            return BackupObject(name: name, size: Int64(status.st_size), modified: Int64(status.st_mtim.tv_sec))
        }
    }
}
