import ArgumentParser
import Server
import Storage
import Testing

@testable import Commands

@Suite struct BackupCommandTests {
    @Test("backup and restore take a folder and the storage")
    func arguments() throws {
        let backup = try #require(try LCFileCommand.parseAsRoot(["backup", "--storage", "s", "d"]) as? Backup)
        #expect(backup.folder == "d")
        #expect(backup.options.path == "s")
        let restore = try #require(try LCFileCommand.parseAsRoot(["restore", "d", "--quick"]) as? Restore)
        #expect(restore.folder == "d")
        #expect(restore.quick)
    }

    @Test(
        "what is missing or empty is wrong usage",
        arguments: [["backup"], ["restore"], ["backup", ""], ["backup", "--storage", "", "d"], ["backup", "d", "e"]]
    )
    func wrongUsage(arguments: [String]) {
        #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments) }
    }

    @Test("one of a thing is told in the singular")
    func description() {
        var summary = CopySummary()
        summary.apps = 1
        summary.bytes = 1
        #expect(summary.description == "1 app, 0 files, 1 byte")
    }
}
