/// The path part of an internal file's URL, and the name of its blob (file-protocol 6).
///
/// Whoever knows the key can read the bytes, so its random part comes from the system's cryptographic generator:
/// 32 characters of `[0-9a-zA-Z]`, about 190 bits.
package struct FileKey: Hashable, Sendable, CustomStringConvertible {
    /// The text, not percent-encoded.
    package let description: String

    /// Takes a key from a URL or a database, or nothing if no key can look like that.
    package init?(_ text: String) {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...FileKey.longest).contains(text.utf8.count), !text.hasControlCharacters,
            segments.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { return nil }
        description = text
    }

    /// The most bytes of UTF-8 that a key may have: what S3 allows.
    package static let longest = 1024

    /// Makes a new key: `<random>.<extension>`, or `<random>/<name>` when the name is kept, behind the prefix.
    ///
    /// - Throws: ``ServiceError/Code/invalidFileName`` if the whole is longer than ``longest``.
    package static func make(for name: FileName, prefix: KeyPrefix?, keepingName: Bool) throws -> FileKey {
        let tail = keepingName ? "/\(name)" : name.pathExtension.map { ".\($0)" } ?? ""
        let start = prefix.map { "\($0)/" } ?? ""
        guard let key = FileKey(start + RandomText.alphanumeric(32) + tail) else {
            throw ServiceError(.invalidFileName, "Prefix and name together make a key of over \(longest) bytes.")
        }
        return key
    }
}

/// Folders in front of a key, as a client asked for them: `gamesaves`, `a/b`.
package struct KeyPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The text, not percent-encoded.
    package let description: String

    /// Checks a prefix from outside; slashes at either end are dropped, and an empty one is none.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for `..`, empty segments, control characters, over 255 bytes, and for
    ///   the first words of the API's own paths, behind which no file could be found.
    package init?(_ text: String) throws {
        var trimmed = text[...]
        while trimmed.first == "/" { trimmed.removeFirst() }
        while trimmed.last == "/" { trimmed.removeLast() }
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.utf8.count <= 255 else { throw ServiceError(.badRequest, "prefix has over 255 bytes.") }
        guard !trimmed.contains("\\"), FileKey(String(trimmed)) != nil else {
            throw ServiceError(
                .badRequest,
                "prefix may hold folders only, without '..', empty ones or control characters."
            )
        }
        guard !["1", "1.1"].contains(trimmed.prefix { $0 != "/" }) else {
            throw ServiceError(.badRequest, "prefix must not begin with '1' or '1.1', the API's own paths.")
        }
        description = String(trimmed)
    }
}
