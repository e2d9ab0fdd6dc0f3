internal import Domain
internal import Glibc

/// Writes lines to a new file.
struct LineWriter: ~Copyable {
    private let path: String
    private let file: CInt
    private var buffer: [UInt8] = []

    private static let bufferSize = 1 << 16

    /// Creates the file.
    init(_ path: String) throws {
        self.path = path
        file = FileBytes.open(path, O_WRONLY | O_CREAT | O_EXCL)
        guard file >= 0 else { throw ExitError.storage("\(path) cannot be written: \(StorageFolder.systemError())") }
    }

    deinit {
        close(file)
    }

    mutating func write(_ line: String) throws {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= LineWriter.bufferSize { try flush() }
    }

    /// Writes what is buffered; to be called at the end.
    mutating func flush() throws {
        try FileBytes.write(buffer, to: file, path)
        buffer.removeAll(keepingCapacity: true)
    }
}

extension FileBytes {
    /// Calls a body with each line of a file, without its end; a last line without an end counts.
    static func forEachLine(of path: String, _ body: (String) throws -> Void) throws {
        var rest: [UInt8] = []
        try forEachPiece(of: path) { piece in
            var start = piece.startIndex
            while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
                rest.append(contentsOf: piece[start..<end])
                try body(String(decoding: rest, as: UTF8.self))
                rest.removeAll(keepingCapacity: true)
                start = end + 1
            }
            rest.append(contentsOf: piece[start...])
        }
        if !rest.isEmpty { try body(String(decoding: rest, as: UTF8.self)) }
    }
}
