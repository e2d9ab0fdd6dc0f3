internal import Domain
internal import Glibc

/// A failed system call: what was tried and the error number.
struct SyscallError: Error, CustomStringConvertible {
    let operation: String
    let number: CInt

    var description: String { "\(operation): \(String(cString: strerror(number)))" }
}

/// Runs a system call again while signals interrupt it.
///
/// - Throws: ``ServiceError`` with the system's word as its cause: `storageFull` when there is no room, else
///   `internalFailure`.
@discardableResult
func syscall<Number: SignedInteger>(_ operation: String, _ body: () -> Number) throws -> Number {
    while true {
        let result = body()
        if result != -1 { return result }
        let number = errno
        switch number {
        case EINTR:
            continue
        case ENOSPC, EDQUOT, EFBIG:
            throw ServiceError(
                .storageFull,
                "The server's storage is full.",
                cause: SyscallError(operation: operation, number: number)
            )
        default:
            throw ServiceError(
                .internalFailure,
                "Internal error.",
                cause: SyscallError(operation: operation, number: number)
            )
        }
    }
}

/// An open file; closed when the value goes.
struct Descriptor: ~Copyable {
    let raw: CInt

    /// Opens a file; the flags always include close-on-exec.
    init(_ path: String, _ flags: CInt, mode: mode_t = 0) throws {
        raw = try syscall("open") { open(path, flags | O_CLOEXEC, mode) }
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
    guard number == EEXIST else {
        throw ServiceError(
            number == ENOSPC || number == EDQUOT ? .storageFull : .internalFailure,
            number == ENOSPC || number == EDQUOT ? "The server's storage is full." : "Internal error.",
            cause: SyscallError(operation: "mkdir", number: number)
        )
    }
}
