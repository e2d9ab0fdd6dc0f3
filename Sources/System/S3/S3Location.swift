/// A bucket and the beginning of keys in it: `s3://bucket/prefix`.
package struct S3Location: Sendable, Equatable, CustomStringConvertible {
    /// The bucket's name.
    package let bucket: String
    /// The beginning of all keys, without slashes around it; empty for the whole bucket.
    package let prefix: String

    /// What each address begins with; a path without it is a folder.
    package static let scheme = "s3://"

    /// Parses an address.
    ///
    /// The result is `nil` for other strings.
    ///
    /// - Parameter text: `s3://bucket` or `s3://bucket/prefix`; the prefix has up to 400 ASCII letters, digits, dots,
    ///   hyphens, underscores and slashes, and no empty, `.` or `..` part.
    package init?(_ text: String) {
        guard text.hasPrefix(S3Location.scheme) else { return nil }
        var rest = text.dropFirst(S3Location.scheme.count)
        if rest.last == "/" { rest.removeLast() }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard let bucket = parts.first,
            parts.allSatisfy({ part in
                !part.isEmpty && part != "." && part != ".."
                    && part.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                            || "._-".utf8.contains(byte)
                    }
            })
        else { return nil }
        self.bucket = String(bucket)
        prefix = parts.dropFirst().joined(separator: "/")
        guard prefix.utf8.count <= 400 else { return nil }
    }

    /// The address.
    package var description: String { S3Location.scheme + bucket + (prefix.isEmpty ? "" : "/\(prefix)") }
}
