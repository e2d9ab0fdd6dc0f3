internal import Domain
internal import Glibc

/// A failed system call: what was tried and the error number.
struct SyscallError: Error, CustomStringConvertible {
    let operation: String
    let number: CInt

    var description: String { "\(operation): \(String(cString: strerror(number)))" }
}

/// The error that a failed system call becomes: `storageFull` when there is no room, else `internalFailure`, with the
/// system's word as its cause.
func failure(of operation: String, _ number: CInt) -> ServiceError {
    let isFull = [ENOSPC, EDQUOT, EFBIG].contains(number)
    return ServiceError(
        isFull ? .storageFull : .internalFailure,
        isFull ? "The server's storage is full." : "Internal error.",
        cause: SyscallError(operation: operation, number: number)
    )
}

/// Runs a system call again while signals interrupt it.
///
/// - Throws: What ``failure(of:_:)`` makes of its error number.
@discardableResult
func syscall<Number: SignedInteger>(_ operation: String, _ body: () -> Number) throws -> Number {
    while true {
        let result = body()
        if result != -1 { return result }
        let number = errno
        if number != EINTR { throw failure(of: operation, number) }
    }
}

/// An open file; closed when the value goes.
struct Descriptor: ~Copyable {
    let raw: CInt

    /// Opens a file; the flags always include close-on-exec.
    init(_ path: String, _ flags: CInt, mode: mode_t = 0) throws {
        raw = try syscall("open") { open(path, flags | O_CLOEXEC, mode) }
    }

    /// Opens a file for reading, never through a link in its place; gives nothing if there is none.
    init?(reading path: String) throws {
        do {
            try self.init(path, O_RDONLY | O_NOFOLLOW)
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOENT {
            return nil
        }
    }

    deinit {
        close(raw)
    }

    /// Returns when everything written is on the disk.
    func synchronize() throws {
        try syscall("fsync") { fsync(raw) }
    }

    /// Writes all of the bytes where the file stands.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = try syscall("write") { Glibc.write(raw, rest.baseAddress, rest.count) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

/// Returns when a folder's names are on the disk.
func synchronizeFolder(_ path: String) throws {
    try Descriptor(path, O_RDONLY | O_DIRECTORY).synchronize()
}

/// Makes a folder unless it is there.
func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o700) != 0 else { return }
    let number = errno
    if number != EEXIST { throw failure(of: "mkdir", number) }
}
