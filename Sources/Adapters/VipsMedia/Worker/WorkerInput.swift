internal import CLinux
internal import Domain
internal import Glibc
internal import NIOCore

/// An image as a worker process gets it: a descriptor of its own, read-only, at the beginning.
///
/// The worker does not get the source's descriptor: all copies of a descriptor share its offset, and two workers may
/// read the same blob at once.
final class WorkerInput: Sendable {
    let descriptor: CInt

    /// Opens the source anew; blocks, though briefly.
    ///
    /// - Parameter source: The image; bytes in memory, or with others behind them, are copied once, into a file that is
    ///   in memory only.
    /// - Throws: ``ServiceError/Code/internalFailure`` when the system refuses.
    init(_ source: ImageSource) throws {
        switch source {
        case .file(let blob, let file):
            descriptor = try file.withDescriptor { descriptor in
                try ReadFailure().require(allOf: blob, in: descriptor)
                let whole = try WorkerInput.reopened(descriptor)
                let size = lseek(whole, 0, SEEK_END)
                guard size != blob.size || lseek(whole, 0, SEEK_SET) != 0 else { return whole }
                // What lies behind a kept file's bytes is none of the worker's business.
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

    /// Through /proc, which leads to the same file even if its name is gone.
    private static func reopened(_ descriptor: CInt) throws -> CInt {
        let reopened = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard reopened >= 0 else { throw failure("open") }
        return reopened
    }

    /// A file in memory with what the body writes to it.
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

/// What went wrong with a worker process, for the log.
struct WorkerFailure: Error, CustomStringConvertible {
    let description: String
}
