internal import CLinux
internal import Domain
internal import Glibc
internal import NIOCore

/// A failed system call: the operation and the error number.
struct SyscallError: Error, CustomStringConvertible {
    let operation: String
    let number: CInt

    var description: String { "\(operation): \(String(cString: strerror(number)))" }
}

/// The error for a failed system call, with the system's error as its cause.
///
/// It is the error of a storage fault (docs/storage-format.md has the table), else `internalFailure`.
func failure(of operation: String, _ number: CInt) -> ServiceError {
    let cause = SyscallError(operation: operation, number: number)
    let fault: StorageFault? =
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS: .readOnly
        case EIO: .failing
        default: nil
        }
    return fault?.error(cause: cause) ?? ServiceError(.internalFailure, "Internal error.", cause: cause)
}

/// Runs a system call, and repeats it while signals interrupt it.
///
/// - Throws: The error that ``failure(of:_:)`` returns for its error number.
@discardableResult
func syscall<Number: SignedInteger>(_ operation: String, _ body: () -> Number) throws -> Number {
    while true {
        let result = body()
        if result != -1 { return result }
        let number = errno
        if number != EINTR { throw failure(of: operation, number) }
    }
}

// SEEK_DATA and SEEK_HOLE of <linux/fs.h>, which Swift does not see.
private let seekData: CInt = 3
private let seekHole: CInt = 4

/// An open file; closed at the end of the value's lifetime.
struct Descriptor: ~Copyable {
    let raw: CInt

    /// Opens a file; the flags always include close-on-exec.
    init(_ path: String, _ flags: CInt, mode: mode_t = 0) throws {
        raw = try syscall("open") { open(path, flags | O_CLOEXEC, mode) }
    }

    /// Opens a file for reading without following a link at the path; `nil` if it does not exist.
    init?(reading path: String) throws {
        do {
            // A pipe in the place of the file would wait for its writer; a regular file has no such flag.
            try self.init(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
            return nil
        }
    }

    deinit {
        close(raw)
    }

    /// Converts the file to a ``LocalFile`` for other modules.
    consuming func shared() -> LocalFile {
        let descriptor = raw
        discard self
        return LocalFile(owning: descriptor)
    }

    /// Syncs all written bytes and the metadata to the disk.
    func synchronize() throws {
        let descriptor = raw
        try DiskSyncs.durations.measure { try syscall("fsync") { fsync(descriptor) } }
    }

    /// Syncs the written bytes and only the metadata that reading them requires.
    func synchronizeData() throws {
        let descriptor = raw
        try DiskSyncs.durations.measure { try syscall("fdatasync") { fdatasync(descriptor) } }
    }

    /// The size in bytes.
    func size() throws -> Int64 {
        var status = stat()
        let descriptor = raw
        try syscall("fstat") { fstat(descriptor, &status) }
        return Int64(status.st_size)
    }

    /// The size of a regular file in bytes; `nil` for a folder, a pipe or a device.
    func regularSize() throws -> Int64? {
        var status = stat()
        let descriptor = raw
        try syscall("fstat") { fstat(descriptor, &status) }
        return status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    /// Truncates the file to a size, or extends it with a gap.
    func truncate(to size: Int64) throws {
        try syscall("ftruncate") { ftruncate(raw, off_t(size)) }
    }

    /// The ranges outside of holes; on a file system without holes, the whole file.
    ///
    /// Moves the current offset.
    func dataRanges() throws -> RangeSet<Int64> {
        var ranges = RangeSet<Int64>()
        let size = try size()
        var position: Int64 = 0
        while position < size, let start = try offset(of: seekData, from: position) {
            // Every file ends with a hole, unless it is truncated at this moment.
            position = try offset(of: seekHole, from: start) ?? size
            guard start < position else { break }
            ranges.insert(contentsOf: start..<position)
        }
        return ranges
    }

    /// The next offset of data or of a hole; `nil` if there is none.
    private func offset(of kind: CInt, from position: Int64) throws -> Int64? {
        let found = lseek(raw, off_t(position), kind)
        let number = errno
        guard found < 0 else { return Int64(found) }
        guard number == ENXIO else { throw failure(of: "lseek", number) }
        return nil
    }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    func read(at offset: Int64, count: Int) throws -> ByteBuffer {
        try readFile(raw, at: offset, count: count)
    }

    /// Writes all of the bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            let count = try syscall("pwrite") { pwrite(raw, rest.baseAddress, rest.count, off_t(position)) }
            position += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Writes all of the bytes at the file's current offset.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = try syscall("write") { Glibc.write(raw, rest.baseAddress, rest.count) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

/// Up to `count` bytes of an open file from `offset`; fewer only at the end.
func readFile(_ descriptor: CInt, at offset: Int64, count: Int) throws -> ByteBuffer {
    var bytes = ByteBufferAllocator().buffer(capacity: count)
    while bytes.readableBytes < count {
        let position = offset + Int64(bytes.readableBytes)
        let read = try bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 0) { free in
            let wanted = min(free.count, count - Int(position - offset))
            return try syscall("pread") { pread(descriptor, free.baseAddress, wanted, off_t(position)) }
        }
        if read == 0 { break }
    }
    return bytes
}

/// The error for a file that is shorter than the bytes written to it.
func failure(ofReading position: Int64) -> ServiceError {
    failure(of: "read at \(position)", EIO)
}

/// Syncs a folder's names to the disk.
func synchronizeFolder(_ path: String) throws {
    try Descriptor(path, O_RDONLY | O_DIRECTORY).synchronize()
}

/// Creates a folder if it does not exist.
func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o700) != 0 else { return }
    let number = errno
    if number != EEXIST { throw failure(of: "mkdir", number) }
}
