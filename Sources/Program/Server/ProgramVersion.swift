internal import CBuild
internal import CurlFetch
internal import PostgresStore
internal import SQLiteStore
internal import VipsMedia

/// The version of the program, and of the libraries that run with it.
package enum ProgramVersion {
    /// The version: that of the newest release in CHANGELOG.md, or of the next one with `-dev`, which a test compares.
    package static let number = "0.9.0-dev"

    /// The commit that was built; `nil` if the build did not name one, as that of a source archive.
    package static var commit: String? {
        let commit = String(cString: lcfile_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The libraries by their names, with the versions that are loaded now, not those of the build.
    package static var libraries: [(name: String, version: String)] {
        [
            ("libvips", VipsRenderer.libraryVersion), ("SQLite", SQLiteDatabase.libraryVersion),
            ("libpq", PostgresFacts.libraryVersion), ("libcurl", CurlFetcher.libraryVersion), ("Swift", compiler),
        ]
    }

    /// The lines of `lcfile --version`.
    package static var text: String {
        let parts = libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
        return "lcfile \(number) (commit \(commit ?? "unknown"))\n\(parts)"
    }

    /// The version of the compiler, which is also that of Swift's libraries: they are linked in.
    ///
    /// The language has no value for it.
    private static var compiler: String {
        #if compiler(>=6.5)
        return "6.5 or later"
        #elseif compiler(>=6.4)
        return "6.4"
        #elseif compiler(>=6.3)
        return "6.3"
        #else
        return "6.2"
        #endif
    }
}
