/// The path part of an internal file's URL, and the name of its blob (protocol/files 6).
///
/// Every client that knows the key can read the bytes, so its random part comes from the system's cryptographic
/// generator: 32 characters of `[0-9a-zA-Z]`, about 190 bits.
package struct FileKey: Hashable, Sendable, CustomStringConvertible {
    /// The text, not percent-encoded.
    package let description: String

    /// Takes a key from a URL or a database, or `nil` if no key can look like that.
    package init?(_ text: String) {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...FileKey.maxLength).contains(text.utf8.count), !text.hasControlCharacters,
            segments.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { return nil }
        description = text
    }

    /// The most bytes of UTF-8 that a key may have: what S3 allows.
    package static let maxLength = 1024

    /// Creates a new key: `<random>.<extension>`, or `<random>/<name>` with `keep_file_name`, after the prefix.
    ///
    /// - Throws: ``ServiceError/Code/invalidFileName`` if the whole is longer than ``maxLength``.
    package static func make(for name: FileName, prefix: KeyPrefix?, keepingName: Bool) throws -> FileKey {
        let tail = keepingName ? "/\(name)" : name.pathExtension.map { ".\($0)" } ?? ""
        let start = prefix.map { "\($0)/" } ?? ""
        guard let key = FileKey(start + RandomString.alphanumeric(32) + tail) else {
            throw ServiceError(.invalidFileName, "prefix and name must make a key of at most \(maxLength) bytes.")
        }
        return key
    }

    /// Takes a key that the holder of the master key chose: it becomes the URL's path as it is (protocol/files 2.1).
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for what no key can be, and for ``reservedSegments``.
    package init(chosen text: String) throws {
        guard !text.contains("\\"), let key = FileKey(text) else {
            throw ServiceError(
                .badRequest,
                "key must have 1 to \(FileKey.maxLength) bytes, no empty folder, no '..' and no control characters."
            )
        }
        guard !FileKey.isReserved(text) else { throw FileKey.reserved("key") }
        self = key
    }

    /// Takes a random key of an old SDK, which cannot be the key of another file: 16 or 20 hexadecimal digits, 32 of a
    /// UUID, or 40 letters and digits; then the name's extension, or the name itself (protocol/files 6).
    ///
    /// `nil` if it is none of these.
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

    /// First segments of paths that the server answers itself, before it looks for a file.
    ///
    /// The router compares them as they stand in the request: in this case, and not percent-decoded. So `Health/x` is
    /// any key, and `%68ealth/x` is one whose URL has `%2568ealth/x`.
    package static let reservedSegments = ["1", "1.1", "health"]

    /// Whether no file may lie at a path because of its first segment.
    fileprivate static func isReserved(_ text: some StringProtocol) -> Bool {
        let first = text.prefix { $0 != "/" }
        return reservedSegments.contains { $0 == first }
    }

    fileprivate static func reserved(_ field: String) -> ServiceError {
        ServiceError(
            .badRequest,
            "\(field) must not begin with the folder '1', '1.1' or 'health': these paths belong to the server."
        )
    }
}

/// Folders in front of a key, as a client asked for them: `gamesaves`, `a/b`.
package struct KeyPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The text, not percent-encoded.
    package let description: String

    /// Checks a prefix from outside; slashes at either end are dropped, and an empty one is none.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for `..`, empty segments, control characters, over 255 bytes, and for
    ///   the first segments of the API's own paths, under which no file could be found.
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
