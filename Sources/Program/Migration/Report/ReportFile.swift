internal import Glibc

/// A file that is written beside its final name, and appears there when it is complete.
final class ReportFile {
    private let path: String
    private let part: String
    private let descriptor: CInt

    /// - Throws: ``MigrationError`` if the file cannot be created.
    init(_ path: String) throws(MigrationError) {
        self.path = path
        part = path + ".part"
        descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw MigrationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    func write(_ text: String) throws(MigrationError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure }
            rest = rest.dropFirst(count)
        }
    }

    func finish() throws(MigrationError) {
        guard rename(part, path) == 0 else { throw failure }
    }

    private var failure: MigrationError {
        MigrationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
