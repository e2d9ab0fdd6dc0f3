internal import Domain
internal import HummingbirdCore

extension Request {
    /// The segments of the path, not decoded; empty ones are left out, as the router leaves them out.
    var segments: [Substring] { Substring(uri.path).segments }
}

extension Substring {
    /// The segments of a path, not decoded, without empty ones.
    var segments: [Substring] {
        // Bytes: comparing characters takes several times as long, and some bytes combine with a slash to one character.
        utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    }

    /// One segment of a path, percent-decoded; unchanged if that is impossible, so that it is not missing from the path.
    var decodedSegment: Substring {
        percentDecoded.map { $0[...] } ?? self
    }
}
