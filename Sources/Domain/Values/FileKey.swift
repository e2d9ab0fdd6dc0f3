/// The path part of an internal file's URL, and the name of its blob (protocol/files 6).
///
/// Every client that knows the key can read the bytes, so its random part comes from the system's cryptographic
/// generator: 32 characters of `[0-9a-zA-Z]`, about 190 bits.
package struct FileKey: Hashable, Sendable, CustomStringConvertible {
    /// The key as a string, not percent-encoded.
    package let description: String

    /// Compares the bytes, as databases and digests do: Swift treats `é` as one character and as two as equal.
    package static func == (left: FileKey, right: FileKey) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }

    /// Parses a key from a URL or a database; `nil` if it is not a valid key.
    package init?(_ text: String) {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...FileKey.maxLength).contains(text.utf8.count), !text.hasControlCharacters,
            segments.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { return nil }
        description = text
    }

    /// The part after the last slash.
    package var lastSegment: String {
        String(
            decoding: description.utf8.split(separator: UInt8(ascii: "/")).last ?? description.utf8[...],
            as: UTF8.self
        )
    }

    /// The maximum length in bytes of UTF-8, the limit of S3.
    package static let maxLength = 1024

    /// Creates a new key: `<random>.<extension>`, or `<random>/<name>` with `keep_file_name`, after the prefix.
    ///
    /// - Throws: ``ServiceError/Code/invalidFileName`` if the key is longer than ``maxLength``.
    package static func make(for name: FileName, prefix: KeyPrefix?, keepingName: Bool) throws -> FileKey {
        let tail = keepingName ? "/\(name)" : name.pathExtension.map { ".\($0)" } ?? ""
        let start = prefix.map { "\($0)/" } ?? ""
        guard let key = FileKey(start + RandomString.alphanumeric(32) + tail) else {
            throw ServiceError(.invalidFileName, "prefix and name must make a key of at most \(maxLength) bytes.")
        }
        return key
    }

    /// Checks a key that the holder of the master key chose; it becomes the URL's path unchanged (protocol/files 2.1).
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for an invalid key, and for ``reservedSegments``.
    package init(chosen text: String) throws {
        guard let key = FileKey(text) else {
            throw ServiceError(
                .badRequest,
                "key must have 1 to \(FileKey.maxLength) bytes, no empty folder, no '..' and no control characters."
            )
        }
        guard !FileKey.isReserved(text) else { throw FileKey.reserved("key") }
        self = key
    }

    /// Parses a random key of an old SDK, which cannot be the key of another file.
    ///
    /// The key has 16 or 20 hexadecimal digits, the 32 digits of a UUID, or 40 letters and digits; then the name's
    /// extension, or the name itself (protocol/files 6). `nil` for other strings.
    package init?(madeByClient text: String, for name: FileName) {
        let random = text.prefix { $0 != "." && $0 != "/" }
        let isHexadecimal = random.utf8.allSatisfy { hexadecimalValue($0) != nil }
        guard random.utf8.allSatisfy(\.isASCIIAlphanumeric),
            random.utf8.count == 40 || [16, 20, 32].contains(random.utf8.count) && isHexadecimal
        else { return nil }
        let tail = text.dropFirst(random.count)
        let hasExtension = tail.first == "." && (try? FileName(String(tail.dropFirst()), limit: 32)) != nil
        guard tail.isEmpty || hasExtension || tail == "/\(name)" else { return nil }
        self.init(text)
    }

    /// First segments of the paths of the server's own routes, which take precedence over files.
    ///
    /// The router compares segments as received: case-sensitive and percent-encoded. So `Health/x` is an ordinary key,
    /// and `%68ealth/x` is a key whose URL contains `%2568ealth/x`.
    package static let reservedSegments = ["1", "1.1", "health", "ready", "console"]

    /// Whether the first segment of a path is reserved, so that no file can have the path.
    fileprivate static func isReserved(_ text: some StringProtocol) -> Bool {
        let first = text.prefix { $0 != "/" }
        return reservedSegments.contains { $0 == first }
    }

    fileprivate static func reserved(_ field: String) -> ServiceError {
        ServiceError(
            .badRequest,
            "\(field) must not begin with the folder '1', '1.1', 'health', 'ready' or 'console': these paths belong to the "
                + "server."
        )
    }
}

/// The folders that a client chose as the beginning of a key: `gamesaves`, `a/b`.
package struct KeyPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The prefix as a string, not percent-encoded.
    package let description: String

    /// Checks a client's prefix; slashes at either end are dropped, and `nil` stands for an empty prefix.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for `..`, empty segments, control characters, over 255 bytes, and for
    ///   ``FileKey/reservedSegments``.
    package init?(_ text: String) throws {
        var trimmed = text[...]
        while trimmed.first == "/" { trimmed.removeFirst() }
        while trimmed.last == "/" { trimmed.removeLast() }
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.utf8.count <= 255 else { throw ServiceError(.badRequest, "prefix must have at most 255 bytes.") }
        guard !trimmed.contains("\\"), FileKey(String(trimmed)) != nil else {
            throw ServiceError(
                .badRequest,
                "prefix must consist of folders, without '..', empty folders or control characters."
            )
        }
        guard !FileKey.isReserved(trimmed) else { throw FileKey.reserved("prefix") }
        description = String(trimmed)
    }
}
