internal import CArchive
internal import Glibc

/// The entries of an archive, or the one content of another file, uncompressed while they are read.
///
/// Nothing is written to the disk, and no name in an archive is used as a path. Memory holds the buffers of libarchive.
/// Blocks its thread.
final class ArchiveReader {
    /// The maximum number of entries: more than an app has classes, far below what a hostile archive can have.
    static let maxEntries = 100_000

    private let archive: OpaquePointer
    private let name: String
    private let descriptor: CInt
    private var count = 0
    private var isAtEnd = false
    /// The archive whose entry contains this one.
    private let outer: ArchiveReader?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    /// Whether the content is a single file and no archive.
    private(set) var isSingleFile = false

    /// Opens an archive (tar or zip, perhaps compressed) or a single file, perhaps compressed; the bytes decide.
    ///
    /// - Throws: ``MigrationError`` if it cannot be read.
    init(path: String) throws(MigrationError) {
        name = path
        outer = nil
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw MigrationError("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard let archive = archive_read_new() else {
            close(descriptor)
            throw MigrationError("libarchive cannot start")
        }
        self.archive = archive
        ArchiveReader.allowCompression(archive)
        archive_read_support_format_tar(archive)
        archive_read_support_format_zip(archive)
        try require(archive_read_open_fd(archive, descriptor, 256 << 10))
    }

    /// Opens the compressed entry that another archive is at.
    init(entryOf outer: ArchiveReader, named name: String) throws(MigrationError) {
        self.name = name
        self.outer = outer
        descriptor = -1
        guard let archive = archive_read_new() else { throw MigrationError("libarchive cannot start") }
        self.archive = archive
        ArchiveReader.allowCompression(archive)
        let client = Unmanaged.passUnretained(self).toOpaque()
        let code = archive_read_open(
            archive,
            client,
            nil,
            { _, client, bytes in
                guard let client, let bytes else { return -1 }
                return Unmanaged<ArchiveReader>.fromOpaque(client).takeUnretainedValue().readOuter(bytes)
            },
            nil
        )
        try require(code)
        _ = try nextEntry()
    }

    deinit {
        archive_read_free(archive)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Goes to the next regular file and returns its name in the archive; `nil` at the end.
    ///
    /// - Throws: ``MigrationError`` for a damaged archive, and for one with too many entries.
    func nextEntry() throws(MigrationError) -> String? {
        while true {
            // libarchive fails if it is called again after the end.
            guard !isAtEnd else { return nil }
            var entry: OpaquePointer?
            let code = archive_read_next_header(archive, &entry)
            isAtEnd = code == ARCHIVE_EOF
            guard !isAtEnd else { return nil }
            try require(code)
            isSingleFile =
                archive_format(archive) == ARCHIVE_FORMAT_RAW || archive_format(archive) == ARCHIVE_FORMAT_EMPTY
            if isSingleFile { return name }
            count += 1
            guard count <= ArchiveReader.maxEntries else {
                throw MigrationError("\(name) has more than \(ArchiveReader.maxEntries) entries")
            }
            guard archive_entry_filetype(entry) == S_IFREG else { continue }
            guard let path = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else { continue }
            return String(cString: path)
        }
    }

    /// Fills a buffer with bytes of the entry and returns their number, 0 at its end.
    func read(_ buffer: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
        let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw failure }
        return count
    }

    private func readOuter(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
        guard let outer else { return -1 }
        // libarchive uses the bytes until it calls again.
        return buffer.withUnsafeMutableBytes { buffer in
            bytes.pointee = UnsafeRawPointer(buffer.baseAddress)
            return (try? outer.read(buffer)) ?? -1
        }
    }

    /// Only formats that libarchive reads itself: for others it would start programs.
    private static func allowCompression(_ archive: OpaquePointer) {
        archive_read_support_filter_gzip(archive)
        archive_read_support_filter_bzip2(archive)
        archive_read_support_filter_xz(archive)
        archive_read_support_filter_zstd(archive)
        archive_read_support_format_raw(archive)
        archive_read_support_format_empty(archive)
    }

    private func require(_ code: CInt) throws(MigrationError) {
        // Warnings concern attributes that are not used, such as times.
        guard code == ARCHIVE_OK || code == ARCHIVE_WARN else { throw failure }
    }

    private var failure: MigrationError {
        let reason = archive_error_string(archive).map { String(cString: $0) } ?? "unknown error"
        return MigrationError("\(name) cannot be read: \(reason)")
    }
}
