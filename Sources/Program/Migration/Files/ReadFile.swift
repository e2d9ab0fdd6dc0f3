internal import Glibc

/// A file that is open for reading; blocks its thread.
final class ReadFile: Sendable {
    let descriptor: CInt
    private let path: String

    /// - Throws: ``MigrationError`` if it cannot be read.
    init(_ path: String) throws(MigrationError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ReadFile.failure(path) }
    }

    deinit { close(descriptor) }

    /// Fills a buffer with the next bytes and returns their number, 0 at the end.
    func read(_ buffer: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
        try ReadFile.read(descriptor, buffer, path)
    }

    /// Fills a buffer with the next bytes of a descriptor and returns their number, 0 at the end.
    static func read(
        _ descriptor: CInt,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ name: String
    ) throws(MigrationError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(name) }
            return count
        }
    }

    private static func failure(_ name: String) -> MigrationError {
        MigrationError("\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
}
