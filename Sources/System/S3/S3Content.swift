/// Bytes for a store, with the digests by which the store checks them.
package struct S3Content {
    /// Fills a buffer with the bytes from an offset on; returns their number, at least 1 for a buffer that is not empty.
    package typealias Read = (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws(S3Error) -> Int

    let body: S3Body

    /// The size of a piece that is read for the digests, in bytes.
    private static let piece = 256 << 10

    /// Reads all bytes once for their digests; a request reads them again.
    ///
    /// Blocks as the reading does.
    ///
    /// - Parameters:
    ///   - size: The number of bytes.
    ///   - read: Reads the bytes.
    ///   - observe: Receives all bytes in order, valid during the call only.
    /// - Throws: The errors of the reading.
    package init(
        size: Int64,
        reading read: @escaping Read,
        observing observe: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(S3Error) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: S3Content.piece, alignment: 16)
        defer { buffer.deallocate() }
        var hashing = S3Hashing()
        var offset: Int64 = 0
        while offset < size {
            let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: size - offset)))
            let count = try read(wanted, offset)
            guard count > 0 else { throw S3Error(.local, "the bytes to send end at \(offset) of \(size)") }
            let bytes = UnsafeRawBufferPointer(rebasing: wanted[..<count])
            hashing.update(bytes)
            observe(bytes)
            offset += Int64(count)
        }
        body = S3Body(size: size, digests: hashing.digests) { buffer, offset throws(S3Error) in
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: size - offset)))
            return rest.isEmpty ? 0 : try read(rest, offset)
        }
    }

    /// Bytes in memory.
    package init(_ bytes: [UInt8]) { body = S3Body(bytes) }

    init(_ body: S3Body) { self.body = body }

    /// The number of bytes.
    package var size: Int64 { body.size }
}
