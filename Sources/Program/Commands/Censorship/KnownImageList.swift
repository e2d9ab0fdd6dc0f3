internal import FileClient
internal import FoundationEssentials

/// Hashes of known images as users write them.
enum KnownImageList {
    /// The kinds of hashes, both with 64 hexadecimal digits.
    enum Kind: String, CaseIterable {
        case sha256, pdq
    }

    /// Parses one entry: `sha256:<digits>` or `pdq:<digits>`, and behind white space a note.
    ///
    /// - Parameters:
    ///   - text: The entry; a colon, a comma or a space follows the kind.
    ///   - kind: The kind of digits without one.
    /// - Returns: The entry; `nil` for other texts.
    static func entry(_ text: String, otherwise kind: Kind = .sha256) -> KnownImage? {
        var kind = kind
        var rest = text[...]
        for named in Kind.allCases {
            let separators: Set<Character> = [":", ",", " ", "\t"]
            guard rest.lowercased().hasPrefix(named.rawValue) else { continue }
            rest = rest.dropFirst(named.rawValue.count)
            guard let separator = rest.first, separators.contains(separator) else { return nil }
            rest = rest.drop { separators.contains($0) }
            kind = named
            break
        }
        let digits = rest.prefix { $0.isASCII && $0.isHexDigit }
        let note = rest.dropFirst(digits.count)
        guard digits.count == 64, note.first.map({ $0.isWhitespace || $0 == "," }) ?? true else { return nil }
        let trimmed = String(note).trimming { $0.isWhitespace || $0 == "," }
        let hash = digits.lowercased()
        return KnownImage(
            sha256: kind == .sha256 ? hash : nil,
            pdq: kind == .pdq ? hash : nil,
            note: trimmed.isEmpty ? nil : trimmed
        )
    }

    /// Parses a list with one entry on each line; empty lines and those that begin with `#` do not count.
    ///
    /// - Parameters:
    ///   - text: The list.
    ///   - name: Its name, for errors.
    ///   - kind: The kind of digits without one.
    /// - Returns: The entries.
    /// - Throws: ``UsageError`` that names the first line of another form.
    static func entries(in text: String, named name: String, otherwise kind: Kind) throws(UsageError) -> [KnownImage] {
        var entries: [KnownImage] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = String(line).trimming { $0.isWhitespace || $0 == "\u{FEFF}" }
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let entry = entry(line, otherwise: kind) else {
                throw UsageError("\(name), line \(index + 1): neither sha256:<64 digits> nor pdq:<64 digits>")
            }
            entries.append(entry)
        }
        return entries
    }

    /// The entries of an argument: a hash, or the path of a list.
    ///
    /// - Parameters:
    ///   - argument: A hash, or a path.
    ///   - kind: The kind of digits without one.
    /// - Returns: The entries.
    /// - Throws: ``UsageError`` if it is neither, or the list has a wrong line.
    static func entries(of argument: String, otherwise kind: Kind) throws(UsageError) -> [KnownImage] {
        if let entry = entry(argument, otherwise: kind) { return [entry] }
        let path = argument == "-" ? "/dev/stdin" : argument
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw UsageError("\(argument) is neither a hash nor a text file that can be read")
        }
        return try entries(in: text, named: argument, otherwise: kind)
    }
}
