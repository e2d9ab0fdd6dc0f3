internal import CBuild

/// The changelog of this build, of which owners see the part about their version.
enum ReleaseNotes {
    /// The newest section of the changelog: its upgrade notes and its changes, as Markdown; empty if there is none.
    static let current = newest(of: String(cString: lcfile_changelog()))

    /// The section below the first heading of the second level, with that heading.
    static func newest(of changelog: String) -> String {
        let lines = changelog.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("## ") }) else { return "" }
        let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("## ") } ?? lines.endIndex
        return lines[start..<end].joined(separator: "\n")
    }
}
