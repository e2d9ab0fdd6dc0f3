import Testing

@testable import Server

@Suite struct ReleaseNotesTests {
    @Test("the notes are the newest section of the changelog")
    func newest() {
        let text = "# Changelog\n\n## [2.0.0]\n\n### Added\n\n- a\n\n## [1.0.0]\n\n- b\n"
        #expect(ReleaseNotes.newest(of: text) == "## [2.0.0]\n\n### Added\n\n- a\n")
        #expect(ReleaseNotes.newest(of: "# Changelog\n") == "")
    }

    @Test("the build has the changelog")
    func embedded() {
        #expect(ReleaseNotes.current.hasPrefix("## ["))
    }
}
