import ArgumentParser
import Testing

@testable import Commands

@Suite struct RetryOptionsTests {
    @Test(
        "as many messages as were named, or all dead letters, are enough",
        arguments: [(["a"], 1), (["a", "b", "a"], 2), (["--all"], 0)] as [([String], Int)]
    )
    func enough(arguments: [String], count: Int) throws {
        try RetryOptions.parse(arguments).requireEach(count)
    }

    @Test(
        "fewer messages than were named are an error that tells how many",
        arguments: [
            (["a"], 0, "1 of 1 message not sent again"), (["a", "b", "b", "c"], 2, "1 of 3 messages not sent again"),
        ] as [([String], Int, String)]
    )
    func fewer(arguments: [String], count: Int, message: String) throws {
        let options = try RetryOptions.parse(arguments)
        let error = #expect(throws: UnsentMessages.self) { try options.requireEach(count) }
        #expect(error?.description.hasPrefix("\(message): ") == true)
        #expect(error.map { ExitStatus.status(of: $0) } == ExitStatus.failure)
    }
}
