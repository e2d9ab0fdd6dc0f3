/// The name that a client gave a file, for display; never used as a path.
package struct FileName: Hashable, Sendable, CustomStringConvertible {
    /// The name as a string.
    package let description: String

    /// Checks a client's name.
    ///
    /// - Parameters:
    ///   - text: The client's string, percent-decoded.
    ///   - limit: The maximum length in bytes of UTF-8.
    ///   - allowsSlashes: Whether the name can contain slashes, as names of files that are imported or stored do.
    /// - Throws: ``ServiceError/Code/invalidFileName`` with the violated rule.
    package init(_ text: String, limit: Int, allowsSlashes: Bool = false) throws {
        guard !text.isEmpty else { throw FileName.refusal("is empty") }
        guard text.utf8.count <= limit else {
            throw FileName.refusal("has \(text.utf8.count) bytes; the limit is \(limit)")
        }
        guard allowsSlashes || !text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        else {
            throw FileName.refusal("contains a slash; folders go into prefix")
        }
        guard text != ".", text != ".." else { throw FileName.refusal("is a folder") }
        guard !text.hasControlCharacters else { throw FileName.refusal("contains a control character") }
        description = text
    }

    /// The letters and digits after the last dot, without the dot; `nil` if there are 0 or more than 16.
    package var pathExtension: String? {
        guard let dot = description.lastIndex(of: "."), dot != description.startIndex else { return nil }
        let tail = description[description.index(after: dot)...]
        guard (1...16).contains(tail.utf8.count), tail.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        return String(tail)
    }

    private static func refusal(_ what: String) -> ServiceError {
        ServiceError(.invalidFileName, "Invalid file name: the name \(what).")
    }
}
