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

    @Test("an empty variable of the storage folder counts as not set")
    func emptyVariable() {
        #expect(StorageOptions.folder(in: ["LCFILE_STORAGE": ""]) == "storage")
        #expect(StorageOptions.folder(in: ["LCFILE_STORAGE": "s"]) == "s")
    }

    @Test("the moments to keep are a time, and a rule of their own")
    func moments() throws {
        let arguments = ["backup", "--to", "r", "--forget", "--keep-moments"]
        let backup = try #require(try LCFileCommand.parseAsRoot(arguments + ["12h"]) as? Backup)
        #expect(backup.repository.rules.moments == Int64(12 * 3600))
        for wrong in ["", "7", "0d", "-1d", "3651d"] {
            #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments + [wrong]) }
        }
        #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(["backup", "d", "--keep-moments", "7d"]) }
    }

    @Test(
        "what is missing or empty is wrong usage",
        arguments: [
            ["backup"], ["restore"], ["backup", ""], ["backup", "--storage", "", "d"], ["backup", "--config", "", "d"],
            ["backup", "d", "e"],
        ]
    )
    func wrongUsage(arguments: [String]) {
        #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments) }
    }

    @Test("a restore of an incomplete backup ends with 65, and says from when a complete one is")
    func incompleteBackup() throws {
        var summary = CopySummary()
        try summary.requireComplete("the restored storage")
        summary.lacking = 2
        summary.completeMoment = "2027-01-12T03:00:00.123Z"
        let error = #expect(throws: ExitError.self) { try summary.requireComplete("the restored storage") }
        #expect(error?.exitCode == 65)
        #expect(error?.description.contains("the backup lacks 2 files") == true)
        #expect(error?.description.contains("--at 2027-01-12T03:00:00.123Z") == true)
    }

    @Test("one of a thing is told in the singular")
    func description() {
        var summary = CopySummary()
        summary.apps = 1
        summary.bytes = 1
        #expect(summary.description == "1 app, 0 files, 1 byte")
    }
}
