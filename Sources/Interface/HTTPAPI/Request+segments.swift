internal import Domain
internal import HummingbirdCore

extension Request {
    /// The segments of the path, not decoded; empty ones are left out, as the router leaves them out.
    var segments: [Substring] { Substring(uri.path).segments }
}

extension Substring {
    /// The segments of a path, not decoded, without empty ones.
    ///
    /// They are those that Hummingbird's router sees, because rights depend on them: it compares characters, and some
    /// characters combine with a slash. Comparing bytes gives the same for ASCII in a part of the time.
    var segments: [Substring] {
        guard utf8.allSatisfy({ $0 < 0x80 }) else { return split(separator: "/") }
        return utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    }

    /// One segment of a path, percent-decoded; unchanged if that is impossible, so that it is not missing from the path.
    var decodedSegment: Substring {
        utf8.contains(UInt8(ascii: "%")) ? percentDecoded.map { $0[...] } ?? self : self
    }
}
