import Foundation
import Testing

@testable import Server

@Suite struct ProgramVersionTests {
    /// The headings of the second level in CHANGELOG.md.
    private func headings() throws -> [Substring] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../CHANGELOG.md").path
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("## ") }
    }

    /// The version that a heading names; `nil` for `Unreleased`.
    private func version(_ heading: Substring) -> String? {
        heading.firstMatch(of: /\d+\.\d+\.\d+/).map { String($0.output) }
    }

    @Test("the version is that of the newest release, or that of the next one while there are unreleased changes")
    func changelog() throws {
        let newest = try #require(try headings().first)
        if let released = version(newest) {
            #expect(ProgramVersion.number == released)
        } else {
            #expect(newest.contains("Unreleased"))
            let next = try #require(ProgramVersion.number.wholeMatch(of: /(\d+\.\d+\.\d+)-dev/)?.output.1)
            let released = try headings().compactMap(version)
            #expect(released.allSatisfy { $0.compare(String(next), options: .numeric) == .orderedAscending })
        }
    }

    @Test("the text names the version, the commit and each library with its version")
    func text() throws {
        let text = ProgramVersion.text
        #expect(text.hasPrefix("lcfile \(ProgramVersion.number) (commit "))
        for (name, version) in ProgramVersion.libraries {
            #expect(text.contains("\(name) \(version)"))
            #expect(version.contains(/^\d+\.\d+/), "\(name)")
        }
        #expect(ProgramVersion.libraries.map(\.name) == ["libvips", "SQLite", "libpq", "libcurl", "Swift"])
    }
}
