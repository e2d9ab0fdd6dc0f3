/// A file's name as its owner gave it: for people to read, never a path.
package struct FileName: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was given.
    package let description: String

    /// Checks a name from outside.
    ///
    /// - Parameters:
    ///   - text: What the client sent, percent-decoded.
    ///   - limit: How many bytes of UTF-8 it may have.
    /// - Throws: ``ServiceError/Code/invalidFileName`` with the rule that was broken.
    package init(_ text: String, limit: Int) throws {
        guard !text.isEmpty else { throw FileName.refusal("is empty") }
        guard text.utf8.count <= limit else {
            throw FileName.refusal("has \(text.utf8.count) bytes; the limit is \(limit)")
        }
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
            throw FileName.refusal("contains a slash; folders go into prefix")
        }
        guard text != ".", text != ".." else { throw FileName.refusal("is a folder") }
        guard !text.hasControlCharacters else { throw FileName.refusal("contains a control character") }
        description = text
    }

    /// The letters and digits after the last dot, without it; `nil` when there are none or more than 16.
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
