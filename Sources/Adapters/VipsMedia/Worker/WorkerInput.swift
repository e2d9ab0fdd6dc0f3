internal import CLinux
internal import Domain
internal import Glibc
internal import NIOCore

/// The input of a worker process: a separate read-only descriptor at offset 0.
///
/// The worker does not get the source's descriptor: all copies of a descriptor share its offset, and two workers can
/// read the same blob at once.
final class WorkerInput: Sendable {
    let descriptor: CInt

    /// Opens the source again; blocks briefly.
    ///
    /// - Parameter source: The image; bytes in memory, and bytes that are only the beginning of a file, are copied once
    ///   to a file in memory.
    /// - Throws: ``ServiceError/Code/internalFailure`` if a system call fails.
    init(_ source: ImageSource) throws {
        switch source {
        case .file(let blob, let file):
            descriptor = try file.withDescriptor { descriptor in
                try ReadFailure().require(allOf: blob, in: descriptor)
                let whole = try WorkerInput.reopened(descriptor)
                let size = lseek(whole, 0, SEEK_END)
                guard size != blob.size || lseek(whole, 0, SEEK_SET) != 0 else { return whole }
                // The worker must not read the data after the blob in the file.
                close(whole)
                let bytes = SourceBytes.descriptor(descriptor, count: Int(blob.size))
                return try WorkerInput.copied { file in
                    var offset = 0
                    while case let piece = bytes.read(at: offset, count: 1 << 16), !piece.isEmpty {
                        try piece.withUnsafeBytes { try WorkerInput.write($0, to: file) }
                        offset += piece.count
                    }
                }
            }
        case .memory(let bytes):
            descriptor = try WorkerInput.copied { file in
                try bytes.withUnsafeReadableBytes { try WorkerInput.write($0, to: file) }
            }
        }
    }

    deinit {
        close(descriptor)
    }

    /// Opens the same file through /proc, even if its name was removed.
    private static func reopened(_ descriptor: CInt) throws -> CInt {
        let reopened = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard reopened >= 0 else { throw failure("open") }
        return reopened
    }

    /// Creates a file in memory with the content that the body writes.
    private static func copied(_ fill: (CInt) throws -> Void) throws -> CInt {
        let file = clinux_memory_file("image")
        guard file >= 0 else { throw failure("memfd_create") }
        defer { close(file) }
        try fill(file)
        return try reopened(file)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 || errno == EINTR else { throw failure("write") }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static func failure(_ call: String) -> ServiceError {
        let cause = WorkerFailure(description: "\(call): error \(errno)")
        return ServiceError(.internalFailure, "The image cannot be read now.", cause: cause)
    }
}

/// The error of a worker process, for the log.
struct WorkerFailure: Error, CustomStringConvertible {
    let description: String
}
