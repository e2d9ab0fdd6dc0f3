internal import Domain
internal import Glibc

/// A segment while pages are added: its file in the spool, with space for the header.
///
/// A page that comes again overwrites its older version, so the file has each page once, unless it has very many: then
/// the older version stays, and the newer one comes after it. Not thread-safe.
final class SegmentDraft {
    /// The file.
    let path: String
    /// The size of a page in bytes.
    let pageSize: Int
    /// The size of the file in bytes.
    private(set) var size = Int64(SegmentHeader.size)
    /// The size of the database in pages after the last transaction; 0 before the first one.
    var databasePages: UInt32 = 0

    private let file: LogDescriptor
    /// Where the last versions of pages are.
    private var offsets: [UInt32: Int64] = [:]

    /// The number of pages whose offsets are known, which bounds the memory to about 3 MB.
    private let maxOffsets: Int

    /// Creates the file.
    ///
    /// - Throws: ``SystemFailure``.
    init(_ path: String, pageSize: Int, maxOffsets: Int = 1 << 16) throws(SystemFailure) {
        self.path = path
        self.pageSize = pageSize
        self.maxOffsets = maxOffsets
        file = try LogDescriptor(path, flags: O_RDWR | O_CREAT | O_EXCL)
    }

    /// Adds a page, in the place of an older version.
    func add(_ page: UInt32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        if let offset = offsets[page] { return try file.write(bytes, at: offset) }
        if offsets.count == maxOffsets { offsets.removeAll(keepingCapacity: true) }
        try file.write(withUnsafeBytes(of: page.bigEndian, Array.init), at: size)
        let offset = size + Int64(MemoryLayout<UInt32>.size)
        try file.write(bytes, at: offset)
        offsets[page] = offset
        size = offset + Int64(bytes.count)
    }
}
