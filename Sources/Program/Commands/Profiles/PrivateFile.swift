internal import FoundationEssentials
internal import Glibc

/// A text file that only its owner can read.
enum PrivateFile {
    /// The file's text; `nil` if it does not exist.
    ///
    /// - Throws: ``UsageError`` if it cannot be read, or if its mode lets others read or change it.
    static func read(_ path: String) throws(UsageError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw UsageError("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw UsageError("\(path) cannot be read") }
        let mode = status.st_mode & 0o777
        guard mode & 0o077 == 0 else {
            throw UsageError(
                "\(path) contains keys, and other users are able to read or change it (mode \(String(mode, radix: 8))); "
                    + "run: chmod 600 '\(path)'"
            )
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw UsageError("\(path) cannot be read")
        }
        return text
    }

    /// Replaces the file in one step; creates its folder with mode 0700 and the file with mode 0600.
    static func write(_ text: String, to path: String) throws(UsageError) {
        let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let draft = "\(path).\(getpid()).new"
        let failure = UsageError("\(path) cannot be written")
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure }
        let bytes = Array(text.utf8)
        // The mode of a file that exists does not change by opening it.
        let isWritten =
            fchmod(descriptor, 0o600) == 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count
            && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            throw failure
        }
    }
}
