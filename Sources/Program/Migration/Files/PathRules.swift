internal import Glibc

/// Which files of a folder are imported.
package struct PathRules: Sendable, Hashable {
    /// Patterns of which a file must match one; empty for all files.
    package var included: [String] = []
    /// Patterns that exclude files, and folders with everything in them.
    package var excluded: [String] = []
    /// Whether names that begin with a dot are imported.
    package var showsHidden = false
    /// Whether symbolic links in folders are followed; otherwise they are left out.
    package var followsLinks = false

    /// The end of the names of journals; the files and folders beside a journal have its name with a further ending.
    package static let journalSuffix = ".lcfile-journal"
    /// The end of the names of the journals of exports, so that the import of an exported folder has a journal of its own.
    package static let exportJournalSuffix = ".lcfile-export-journal"

    /// Creates rules that take every file that is neither hidden nor part of a journal.
    package init() {}

    /// Whether a file is imported.
    ///
    /// - Parameter path: The path in the imported folder.
    /// - Returns: Whether it matches the rules.
    func takesFile(_ path: String) -> Bool {
        takes(path) && (included.isEmpty || included.contains { PathRules.matches($0, path) })
    }

    /// Whether the files in a folder are considered.
    func takesFolder(_ path: String) -> Bool {
        takes(path)
    }

    private func takes(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        // A journal changes while it is imported, and is not the user's.
        guard !name.contains(PathRules.journalSuffix), !name.contains(PathRules.exportJournalSuffix) else {
            return false
        }
        return (showsHidden || !name.hasPrefix(".")) && !excluded.contains { PathRules.matches($0, path) }
    }

    /// Whether a path matches a pattern of the shell (`*`, `?`, `[a-z]`).
    ///
    /// A pattern with a slash applies to the whole path, and its `*` to one folder or name; one without a slash applies
    /// to the last name of the path. `**/` stands for any number of folders.
    static func matches(_ pattern: String, _ path: String) -> Bool {
        guard pattern.contains("/") else {
            return fnmatch(pattern, path.split(separator: "/").last.map(String.init) ?? path, 0) == 0
        }
        let pattern = pattern.hasPrefix("/") ? String(pattern.dropFirst()) : pattern
        guard pattern.hasPrefix("**/") else {
            guard let range = pattern.firstRange(of: "/**/") else {
                let isFolder = pattern.hasSuffix("/")
                return fnmatch(isFolder ? String(pattern.dropLast()) : pattern, path, FNM_PATHNAME) == 0
            }
            let (head, tail) = (String(pattern[..<range.lowerBound]), "**/" + pattern[range.upperBound...])
            let depth = head.split(separator: "/").count
            let segments = path.split(separator: "/")
            guard segments.count > depth else { return false }
            return fnmatch(head, segments.prefix(depth).joined(separator: "/"), FNM_PATHNAME) == 0
                && matches(tail, segments.dropFirst(depth).joined(separator: "/"))
        }
        let rest = String(pattern.dropFirst("**/".count))
        let segments = path.split(separator: "/")
        return segments.indices.contains { matches("/" + rest, segments[$0...].joined(separator: "/")) }
    }
}
