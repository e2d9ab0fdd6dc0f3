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
        // By bytes: a slash before a combining mark is another character for Swift, but separates folders in a URL.
        let segments = text.utf8.split(separator: FileKey.slash, omittingEmptySubsequences: false)
        guard (1...FileKey.maxLength).contains(text.utf8.count), !text.hasControlCharacters,
            segments.allSatisfy({ segment in
                !segment.isEmpty && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
            })
        else { return nil }
        description = text
    }

    /// The part after the last slash.
    package var lastSegment: String {
        String(
            decoding: description.utf8.split(separator: FileKey.slash).last ?? description.utf8[...],
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
    /// - Throws: ``ServiceError/Code/badRequest`` for an invalid key, for ``reservedSegments``, and for
    ///   ``reservedPaths``.
    package init(chosen text: String) throws {
        guard let key = FileKey(text) else {
            throw ServiceError(
                .badRequest,
                "key must have 1 to \(FileKey.maxLength) bytes, no empty folder, no '..' and no control characters."
            )
        }
        guard !FileKey.isReserved(text) else { throw FileKey.reserved("key") }
        guard !FileKey.reservedPaths.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
            throw ServiceError(.badRequest, "key must not be '\(text)': this path belongs to the server.")
        }
        self = key
    }

    /// Creates the key of a file from the random key that an old SDK sent, which cannot be the key of another file.
    ///
    /// The client's key has a random part: 16 or 20 hexadecimal digits, the 32 digits of a UUID, or 40 letters and
    /// digits. The extension of the name or the name itself can follow (protocol/files 6). JavaScript takes everything
    /// after the last dot of the name as the extension; if that is too long for one, or unsafe in a URL, the result is the
    /// random part alone. It is `nil` if the client's key has another form.
    ///
    /// - Parameters:
    ///   - text: The client's key.
    ///   - name: The name of the file.
    ///   - keepsName: Whether the key ends in the name: `<random part>/<name>`. These SDKs send their key also with
    ///     `keep_file_name`, and expect another one in the response.
    package init?(madeByClient text: String, for name: FileName, keepingName keepsName: Bool = false) {
        let bytes = text.utf8
        let random = bytes.prefix(while: \.isASCIIAlphanumeric)
        let isHexadecimal = random.allSatisfy { hexadecimalValue($0) != nil }
        guard random.count == 40 || [16, 20, 32].contains(random.count) && isHexadecimal else { return nil }
        let tail = bytes[random.endIndex...]
        let hasName = tail.elementsEqual("/\(name)".utf8)
        let isPlain = tail.isEmpty || FileKey.isExtension(tail)
        let isEndOfName = tail.first == FileKey.dot && name.description.utf8.reversed().starts(with: tail.reversed())
        guard hasName || isPlain || isEndOfName else { return nil }
        let start = String(decoding: random, as: UTF8.self)
        if hasName || keepsName {
            self.init("\(start)/\(name)")
        } else {
            self.init(isPlain ? text : start)
        }
    }

    /// Whether a client that announced a file can mean this key of the file by a string: the key itself, or the random
    /// key from which it was created.
    ///
    /// JavaScript 3.2.1 to 3.11.1 and Swift up to 17.6.1 send their own key with the bytes, not that of the response.
    package func isMeant(by text: String, for name: FileName) -> Bool {
        description.utf8.elementsEqual(text.utf8)
            || [false, true].contains { self == FileKey(madeByClient: text, for: name, keepingName: $0) }
    }

    /// Whether the bytes are a dot and an extension of up to 32 bytes that is safe in a path and in a URL.
    private static func isExtension(_ bytes: Substring.UTF8View) -> Bool {
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        return bytes.first == dot && (try? FileName(text, limit: 32)) != nil
            && !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    fileprivate static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// First segments of the paths of the server's own routes, which take precedence over files.
    ///
    /// The router compares segments as received: case-sensitive and percent-encoded. So `Health/x` is an ordinary key,
    /// and `%68ealth/x` is a key whose URL contains `%2568ealth/x`.
    package static let reservedSegments = ["1", "1.1", "health", "ready", "console"]

    /// Paths of the server's own routes in folders that files can have, too: those of live queries.
    package static let reservedPaths = ["v1/route", "v1/ws"]

    /// Whether the first segment of a path is reserved, so that no file can have the path.
    fileprivate static func isReserved(_ text: String) -> Bool {
        let first = text.utf8.prefix { $0 != slash }
        return reservedSegments.contains { $0.utf8.elementsEqual(first) }
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
        var bytes = text.utf8[...]
        while bytes.first == FileKey.slash { bytes.removeFirst() }
        while bytes.last == FileKey.slash { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        let trimmed = String(decoding: bytes, as: UTF8.self)
        guard trimmed.utf8.count <= 255 else { throw ServiceError(.badRequest, "prefix must have at most 255 bytes.") }
        guard !trimmed.utf8.contains(UInt8(ascii: "\\")), FileKey(trimmed) != nil else {
            throw ServiceError(
                .badRequest,
                "prefix must consist of folders, without '..', empty folders or control characters."
            )
        }
        guard !FileKey.isReserved(trimmed) else { throw FileKey.reserved("prefix") }
        description = trimmed
    }
}
