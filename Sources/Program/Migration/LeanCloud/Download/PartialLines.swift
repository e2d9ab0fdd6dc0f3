internal import FileClient
internal import Glibc

/// A file of JSON Lines that has its name when it is complete, and is continued behind its last whole line.
final class PartialLines {
    private let path: String
    private let part: String
    private let descriptor: CInt
    /// The last line that an earlier process wrote; `nil` without one.
    let lastLine: [UInt8]?

    /// Opens a file; `nil` if it is complete.
    ///
    /// - Parameters:
    ///   - folder: The folder, which exists.
    ///   - name: The file's name.
    ///   - continues: Whether lines of an earlier process stay.
    /// - Throws: ``MigrationError`` if it cannot be written.
    init?(_ folder: String, _ name: String, continuing continues: Bool = true) throws(MigrationError) {
        path = "\(folder)/\(name)"
        part = path + ".part"
        guard access(path, F_OK) != 0 else { return nil }
        descriptor = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw MigrationError("\(part) cannot be written: \(String(cString: strerror(errno)))")
        }
        let (line, end) = continues ? PartialLines.lastLine(of: descriptor) : (nil, 0)
        lastLine = line
        guard ftruncate(descriptor, off_t(end)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw MigrationError("\(part) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Writes values, one on each line.
    func append(_ values: [JSON]) throws(MigrationError) {
        var text: [UInt8] = []
        for value in values {
            value.write(to: &text)
            text.append(0x0a)
        }
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the file its name when its bytes are on the disk.
    func finish() throws(MigrationError) {
        guard fsync(descriptor) == 0, rename(part, path) == 0 else { throw failure }
    }

    private var failure: MigrationError {
        MigrationError("\(part) cannot be written: \(String(cString: strerror(errno)))")
    }

    /// The last whole line, and the offset behind it.
    private static func lastLine(of descriptor: CInt) -> ([UInt8]?, Int) {
        var end = Int(lseek(descriptor, 0, SEEK_END))
        var tail: [UInt8] = []
        var feeds: [Int] = []
        // Backwards until the line feeds before and behind the last whole line.
        while end > 0, feeds.count < 2, tail.count < LineReader.limit {
            let start = max(0, end - (64 << 10))
            var piece = [UInt8](repeating: 0, count: end - start)
            let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
            guard count == piece.count else { return (nil, 0) }
            tail = piece + tail
            end = start
            feeds = tail.indices.filter { tail[$0] == 0x0a }.suffix(2)
        }
        guard let last = feeds.last else { return (nil, 0) }
        let first = feeds.count == 2 ? feeds[0] + 1 : 0
        return (Array(tail[first..<last]), end + last + 1)
    }
}

extension ByteReader {
    /// The bytes of a file.
    init(path: String) throws(MigrationError) {
        let file = try ReadFile(path)
        self.init { try file.read($0) }
    }
}
