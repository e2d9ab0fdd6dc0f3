import ArgumentParser
import FileClient
import Storage
import Testing

@testable import Commands

@Suite struct CheckCommandTests {
    @Test("the options of a check")
    func arguments() throws {
        let arguments = ["check", "--storage", "s", "--subset", "7/30", "--json", "--repair"]
        let check = try #require(try LCFileCommand.parseAsRoot(arguments) as? Check)
        #expect(check.options.path == "s")
        #expect(check.subset == "7/30")
        #expect(check.printing.isOn)
        #expect(check.repair)
        #expect(!check.readData)
    }

    @Test(
        "what is malformed is wrong usage",
        arguments: [
            ["check", "x"], ["check", "--subset", "0/3"], ["check", "--subset", "4/3"], ["check", "--subset"],
            ["check", "--accept-rows"], ["check", "--remove-rows"], ["check", "--storage", ""],
            ["check", "--repair", "--accept-rows", "--remove-rows"],
        ]
    )
    func wrongUsage(arguments: [String]) {
        #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments) }
    }

    @Test("the result for people says what was read and what was found")
    func text() {
        var summary = CheckSummary()
        summary.apps = 1
        summary.files = 20
        summary.bytes = 2048
        #expect(CheckDisplay.text(summary) == "Checked 1 app, 20 files, 2.00 KiB, 0 rows.\nNo damage.")
        summary.readFiles = 1
        summary.readBytes = 3
        summary.rows = 7
        summary.damage = 2
        summary.repaired = 1
        summary.notes = 3
        summary.scrubbed = "2027-01-12T08:00:00.000Z"
        #expect(
            CheckDisplay.text(summary) == """
                Checked 1 app, 20 files, 2.00 KiB, 7 rows; read 1 file, 3 B.
                The server's scrubber last read everything until 2027-01-12T08:00:00.000Z.
                Damage: 2 findings, repaired: 1 finding, 3 notes.
                """
        )
    }
}
