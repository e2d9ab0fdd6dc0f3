internal import Glibc

/// Runs a system call, and repeats it while signals interrupt it.
///
/// - Returns: The result; -1, with `errno`, after another failure.
package func uninterrupted<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

/// The bytes of files of a command; every call blocks.
///
/// Foundation reports a call that a signal interrupted as a failure of the file; these functions repeat it.
enum FileBytes {
    private static let pieceSize = 1 << 16

    /// Opens a file; one that is created is readable and writable by its owner only.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - flags: Those of open(2); close-on-exec is always included.
    /// - Returns: The descriptor, which the caller closes; -1, with `errno`, if the file cannot be opened.
    static func open(_ path: String, _ flags: CInt) -> CInt {
        uninterrupted { Glibc.open(path, flags | O_CLOEXEC, 0o600) }
    }

    /// Writes bytes at the current offset of an open file.
    static func write(_ bytes: [UInt8], to file: CInt, _ path: String) throws {
        try bytes.withUnsafeBytes { try write($0, to: file, path) }
    }

    /// Writes bytes at the current offset of an open file.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt, _ path: String) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = uninterrupted { Glibc.write(file, rest.baseAddress, rest.count) }
            guard count > 0 else {
                throw ExitError.storage("\(path) cannot be written: \(StorageFolder.systemError())")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// All bytes of a small file; `nil` if it does not exist.
    ///
    /// - Throws: ``ExitError`` if it cannot be read.
    static func contents(of path: String) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        let file = open(path, O_RDONLY)
        guard file >= 0 || errno != ENOENT else { return nil }
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        try forEachPiece(of: file, path) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Copies a file's bytes to a new file, and syncs them to the disk.
    static func copy(_ source: String, to target: String) throws {
        let file = open(target, O_WRONLY | O_CREAT | O_EXCL)
        guard file >= 0 else {
            throw ExitError.storage("\(target) cannot be written: \(StorageFolder.systemError())")
        }
        defer { close(file) }
        try forEachPiece(of: source) { try write($0, to: file, target) }
        guard fsync(file) == 0 else {
            throw ExitError.storage("\(target) cannot be synced: \(StorageFolder.systemError())")
        }
    }

    /// Calls a body with the bytes of a file, piece by piece.
    static func forEachPiece(of path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        try forEachPiece(of: file, path, body)
    }

    private static func forEachPiece(
        of file: CInt,
        _ path: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = uninterrupted { read(file, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static func unreadable(_ path: String) -> ExitError {
        ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())")
    }
}
