internal import Domain

/// The name that `?attname=` gives a download, as on Qiniu (protocol/files 11).
struct AttachmentName {
    private let name: String

    /// The maximum length of a name in bytes: that of file systems, so longer ones are shortened before their extension.
    private static let maxLength = 255

    /// Finds the parameter in a query string, with or without operators before it; `nil` if it is missing or empty.
    init?(query: String) {
        let word = query.split(separator: "&").first { $0.hasPrefix("attname=") }
        guard let text = word?.dropFirst("attname=".count).replacing("+", with: " ").percentDecoded else { return nil }
        // Only the last path component: browsers do the same, but not all of them correctly. By scalars: a slash before a
        // combining mark is another character for Swift.
        let components = text.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        let visible = components.last.map { String(String.UnicodeScalarView($0.filter { !$0.isUnsafe })) } ?? ""
        guard !["", ".", ".."].contains(visible) else { return nil }
        name = AttachmentName.shortened(visible)
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maxLength else { return name }
        let pathExtension = (try? FileName(name, limit: .max))?.pathExtension.map { ".\($0)" } ?? ""
        var start = String.UnicodeScalarView()
        var capacity = maxLength - pathExtension.utf8.count
        for scalar in name.unicodeScalars {
            capacity -= UTF8.width(scalar)
            guard capacity >= 0 else { break }
            start.append(scalar)
        }
        return String(start) + pathExtension
    }

    /// The value of `Content-Disposition` (RFC 6266), with the name twice: in ASCII for old clients, and in UTF-8.
    var disposition: String {
        let plain = name.unicodeScalars.map { scalar in
            scalar.isASCII && !"\"\\%;".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        let encoded = name.percentEncodedPath.replacing("/", with: "%2F")
        return "attachment; filename=\"\(String(plain))\"; filename*=UTF-8''\(encoded)"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar can end a header or a line, or changes the direction of the following ones.
    ///
    /// Other invisible scalars stay: U+200C and U+200D are part of words in several scripts and of emoji, tag characters
    /// of flags.
    fileprivate var isUnsafe: Bool {
        properties.isBidiControl
            || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
