internal import NIOCore

extension ByteBuffer {
    /// Whether the bytes begin like those of an image in a binary format that browsers show or this server renders.
    ///
    /// libmagic takes a quarter of a millisecond to find that bytes are of none of its thousands of types, which is a
    /// tenth of a small upload. So it is asked only about bytes with one of these beginnings, each a prefix of the
    /// format's signature. An image in another format is never shown as one; if its declared type says that it is one,
    /// censorship checks it all the same.
    var beginsLikeImage: Bool {
        withUnsafeReadableBytes { bytes in
            imageBeginnings.contains { bytes.dropFirst($0.offset).starts(with: $0.bytes) }
        }
    }
}

private let imageBeginnings: [(offset: Int, bytes: [UInt8])] =
    [
        // JPEG, JPEG XL, JPEG 2000.
        [0xff, 0xd8], [0xff, 0x0a], [0xff, 0x4f],
        // ICO and CUR.
        [0, 0, 1, 0], [0, 0, 2, 0],
    ].map { (0, $0) }
    // TIFF and JPEG XR begin with the order of the bytes.
    + ["\u{89}PNG", "GIF8", "RIFF", "BM", "II", "MM"].map { (0, $0.unicodeScalars.map { UInt8($0.value) }) }
    // Formats of boxes: HEIF and AVIF, JPEG 2000, JPEG XL.
    + ["ftyp", "jP  ", "JXL "].map { (4, Array($0.utf8)) }
