import FoundationEssentials
import Glibc
import Support

/// A file that is removed with its last reference.
final class TemporaryFile: Sendable {
    let path: String
    let bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        path = "/tmp/lcfile-client-\(UUID().uuidString)"
        self.bytes = bytes
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }

    deinit { for name in [path, "\(path).lcfile-part", "\(path).lcfile-etag"] { unlink(name) } }

    /// What the file holds now; `nil` if it does not exist.
    var content: [UInt8]? { TemporaryFile.content(of: path) }

    static func content(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }

    /// Replaces the first bytes of a file and sets the time of its last change back, as `rsync --inplace --times` does.
    static func overwrite(_ text: String, of path: String) {
        var before = stat()
        let descriptor = open(path, O_WRONLY)
        defer { close(descriptor) }
        guard fstat(descriptor, &before) == 0 else { return }
        _ = pwrite(descriptor, text, text.utf8.count, 0)
        _ = FileTimes.setBack(path, to: before)
    }

    static func append(_ text: String, to path: String) {
        let descriptor = open(path, O_WRONLY | O_APPEND)
        _ = write(descriptor, text, text.utf8.count)
        close(descriptor)
    }
}
