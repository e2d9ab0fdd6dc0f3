import ArgumentParser
import Migration
import Testing

@testable import Commands

@Suite struct MigrationDisplayTests {
    @Test(
        "an export and an import of the same folder have different journals",
        arguments: [
            ("app", "app"), ("app/", "app"), ("/data/app//", "/data/app"), ("export.tar.gz", "export.tar.gz"),
            ("/", "lcfile"),
        ]
    )
    func journals(source: String, name: String) {
        #expect(MigrationOptions.journal(beside: source) == name + ".lcfile-journal")
        let suffix = PathRules.exportJournalSuffix
        #expect(MigrationOptions.journal(beside: source, suffix: suffix) == name + ".lcfile-export-journal")
    }

    @Test("objects, relations and class settings are counted apart, and only objects count for the progress")
    func counts() throws {
        let display = MigrationDisplay(noun: "object", try OutputOptions.parse(["--quiet"]))
        #expect(display.text(display.counts.done) == "0 objects")
        display.ended("Post.title", of: "schema", bytes: 0, .done)
        display.ended("Post: find", of: "permissions", bytes: 0, .done)
        display.ended("64f0c1a2b3d4e5f60123456c", of: "Post", bytes: 100, .done)
        display.ended("64f0c1a2b3d4e5f60123456c to 64f0c1a2b3d4e5f60123456d", of: "_Join:likes:Post", bytes: 25, .done)
        display.passed("64f0c1a2b3d4e5f60123456d", of: "Post", bytes: 50, .done)
        #expect(display.text(display.counts.done) == "1 object, 1 relation, 2 class settings")
        #expect(display.text(display.counts.doneBefore) == "1 object")
        #expect(display.counts.bytes == 125)
        #expect((display.progress.snapshot.done, display.progress.snapshot.bytes) == (2, 150))
    }

    @Test("a class setting that fails is a failure of the progress")
    func failure() throws {
        let display = MigrationDisplay(noun: "object", try OutputOptions.parse(["--quiet"]))
        display.ended("Post.title", of: "schema", bytes: 0, .failed("the server's field has the type Number"))
        #expect((display.progress.snapshot.done, display.progress.snapshot.failed) == (0, 1))
        #expect(display.counts.failed == 1)
    }
}
