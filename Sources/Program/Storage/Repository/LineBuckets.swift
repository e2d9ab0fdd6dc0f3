internal import Domain
internal import Glibc

/// Lines that begin with the digits of a digest, sorted on the disk, so that memory does not grow with their number.
///
/// Digests are spread evenly, so the first two digits give 256 buckets of about equal size: of ten million lines each
/// has 40 000, which are sorted in memory. Buckets in their order give all lines in order.
final class LineBuckets {
    private let folder: String
    private var buffers = [[UInt8]](repeating: [], count: 256)
    /// Whether a bucket has a file.
    private var isStored = [Bool](repeating: false, count: 256)

    static let indices = 0..<256
    private static let bufferSize = 1 << 14

    /// - Parameter folder: An empty folder for the files.
    init(in folder: String) {
        self.folder = folder
    }

    /// Adds a line, which must begin with two lower-case hexadecimal digits.
    func add(_ line: String) throws {
        guard let bucket = LineBuckets.bucket(of: line) else {
            throw ExitError.storage("a list of blobs has a line without a digest: \(line.prefix(100).debugDescription)")
        }
        buffers[bucket].append(contentsOf: line.utf8)
        buffers[bucket].append(UInt8(ascii: "\n"))
        if buffers[bucket].count >= LineBuckets.bufferSize { try store(bucket) }
    }

    /// The lines of a bucket in order, each once.
    func lines(of bucket: Int) throws -> [String] {
        var lines: [String] = []
        if isStored[bucket] {
            try store(bucket)
            try FileBytes.forEachLine(of: path(of: bucket)) { lines.append($0) }
        } else {
            lines = buffers[bucket].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        }
        lines.sort()
        var last: String?
        lines.removeAll { line in
            defer { last = line }
            return line == last
        }
        return lines
    }

    /// The bucket of a line or of a blob's name; `nil` if it does not begin with two digits.
    static func bucket(of line: String) -> Int? {
        let digits = line.utf8.prefix(2)
        guard digits.count == 2, digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        return Int(line.prefix(2), radix: 16)
    }

    private func store(_ bucket: Int) throws {
        guard !buffers[bucket].isEmpty else { return }
        // Opened each time, because 256 open files are a fourth of what many systems allow.
        let file = FileBytes.open(path(of: bucket), O_WRONLY | O_CREAT | O_APPEND)
        guard file >= 0 else {
            throw ExitError.storage("\(path(of: bucket)) cannot be written: \(StorageFolder.systemError())")
        }
        defer { close(file) }
        try FileBytes.write(buffers[bucket], to: file, path(of: bucket))
        buffers[bucket].removeAll(keepingCapacity: true)
        isStored[bucket] = true
    }

    private func path(of bucket: Int) -> String {
        "\(folder)/\(bucket)"
    }
}
