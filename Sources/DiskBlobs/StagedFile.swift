internal import CLinux
internal import Domain
internal import Glibc
internal import NIOCore

/// A file in staging; every call blocks.
struct StagedFile: ~Copyable {
    private let path: String
    private let descriptor: Descriptor
    private(set) var size: Int64 = 0
    private(set) var head = ByteBuffer()
    private var flushed: Int64 = 0

    /// How many first bytes are kept to tell the type from.
    static let headSize = 64 << 10
    /// After how many bytes the kernel is asked to begin writing, so that the final sync finds little left to do.
    static let flushInterval: Int64 = 8 << 20

    init(path: String) throws {
        self.path = path
        descriptor = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    }

    mutating func write(_ bytes: ByteBuffer) throws {
        let missing = StagedFile.headSize - head.readableBytes
        if missing > 0, let start = bytes.getSlice(at: bytes.readerIndex, length: min(missing, bytes.readableBytes)) {
            head.writeImmutableBuffer(start)
        }
        try bytes.withUnsafeReadableBytes { try descriptor.write($0) }
        size += Int64(bytes.readableBytes)
        if size - flushed >= StagedFile.flushInterval {
            // Only advice: the sync at the commit is what counts, so a refusal is of no interest.
            _ = clinux_begin_writeback(descriptor.raw, flushed, size - flushed)
            flushed = size
        }
    }

    /// Bytes to the disk, then the name, then the folder that holds the name.
    func commit(to path: String, in layout: BlobLayout) throws {
        try descriptor.synchronize()
        let folder = try layout.prepareFolder(of: path)
        // The rename is the commit point: before it readers see nothing, after it they see the whole blob.
        try renameWithoutReplacing(self.path, path)
        try synchronizeFolder(folder)
    }

    func remove() {
        unlink(path)
    }
}

private func renameWithoutReplacing(_ old: String, _ new: String) throws {
    if clinux_rename_without_replacing(old, new) == 0 { return }
    let number = errno
    guard number == EINVAL || number == ENOSYS else { throw failure(of: "rename", number) }
    // A file system without the flag: keys are random, and the row's unique key is the second guard.
    guard access(new, F_OK) != 0 else { throw failure(of: "rename", EEXIST) }
    try syscall("rename") { rename(old, new) }
}
