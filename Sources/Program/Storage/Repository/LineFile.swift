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
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
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

/// Whole files of a command, piece by piece.
enum FileBytes {
    private static let pieceSize = 1 << 16

    /// Appends bytes to an open file.
    static func write(_ bytes: [UInt8], to file: CInt, _ path: String) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ExitError.storage("\(path) cannot be written: \(StorageFolder.systemError())")
            }
            done += count
        }
    }

    /// Calls a body with the bytes of a file, piece by piece.
    static func forEachPiece(of path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())") }
        defer { close(file) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(file, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())") }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

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
