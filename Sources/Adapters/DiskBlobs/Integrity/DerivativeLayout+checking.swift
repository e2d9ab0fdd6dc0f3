internal import Crypto
internal import Domain
internal import Glibc
internal import NIOCore

extension DerivativeLayout {
    private static let pieceSize = 1 << 20

    /// Calls the body with the path of each derivative on a shelf that is not whole; names are read one at a time.
    ///
    /// - Parameters:
    ///   - first: The first byte of the digests of the sources.
    ///   - comparingDigests: Whether all bytes are read, or only the trailers.
    ///   - body: Receives the path.
    /// - Throws: Errors of reading the folder, and errors of the body.
    func forEachBroken(on first: UInt8, comparingDigests: Bool, _ body: (String) throws -> Void) throws {
        try list(shelf(first)) { source in
            try list("\(shelf(first))/\(source)") { name in
                let path = "\(shelf(first))/\(source)/\(name)"
                if try !isWhole(path, comparingDigests: comparingDigests) { try body(path) }
            }
        }
    }

    /// Calls the body with each name in a folder; a file in its place is ignored, as the server ignores it.
    private func list(_ path: String, _ body: (String) throws -> Void) throws {
        var status = stat()
        let isFolder = stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : errno != ENOTDIR
        if isFolder { try forEachName(in: path, body) }
    }

    /// Whether a file is a whole derivative, or is gone.
    private func isWhole(_ path: String, comparingDigests: Bool) throws -> Bool {
        guard let file = try Descriptor(reading: path) else { return true }
        let size = try file.size()
        guard let trailer = try DerivativeTrailer(in: file, size: size) else { return false }
        guard comparingDigests else { return true }
        var sha256 = SHA256()
        var offset: Int64 = 0
        while offset < trailer.size {
            let count = Int(min(Int64(DerivativeLayout.pieceSize), trailer.size - offset))
            let bytes = try file.read(at: offset, count: count)
            guard bytes.readableBytes > 0 else { return false }
            bytes.withUnsafeReadableBytes { sha256.update(bufferPointer: $0) }
            offset += Int64(bytes.readableBytes)
        }
        dropPages(of: file.raw, at: 0, count: Int(size))
        return trailer.tag == Array(sha256.finalize().prefix(trailer.tag.utf8.count / 2)).hexadecimal
    }
}
