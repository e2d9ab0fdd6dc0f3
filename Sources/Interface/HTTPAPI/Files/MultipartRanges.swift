internal import Domain

/// The body of a response with several ranges, `multipart/byteranges` (RFC 9110 section 14.6).
struct MultipartRanges {
    /// The media type with the boundary.
    let contentType: String
    let pieces: [BodyPiece]

    /// - Parameters:
    ///   - ranges: The ranges in the order of the parts.
    ///   - size: The size of the representation in bytes.
    ///   - mediaType: The media type of the representation, which each part repeats.
    ///   - boundary: The separator of the parts. It is random, because the bytes of the file must not contain it.
    init(_ ranges: [Range<Int64>], of size: Int64, mediaType: MediaType, boundary: String = randomBoundary()) {
        contentType = "multipart/byteranges; boundary=\(boundary)"
        var pieces: [BodyPiece] = []
        for range in ranges {
            let start = pieces.isEmpty ? "" : "\r\n"
            pieces += [
                .text(
                    "\(start)--\(boundary)\r\nContent-Type: \(mediaType.headerValue)\r\n"
                        + "Content-Range: \(range.contentRange(of: size))\r\n\r\n"
                ),
                .range(range),
            ]
        }
        self.pieces = pieces + [.text("\r\n--\(boundary)--\r\n")]
    }

    /// 128 random bits as hexadecimal digits.
    private static func randomBoundary() -> String {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }
}

extension Range<Int64> {
    /// The value of `Content-Range` (RFC 9110 section 14.4) for a range that is not empty.
    func contentRange(of size: Int64) -> String {
        "bytes \(lowerBound)-\(upperBound - 1)/\(size)"
    }
}
