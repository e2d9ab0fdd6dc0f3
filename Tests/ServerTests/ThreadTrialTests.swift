import Storage
import Testing

@testable import Server

@Suite struct ThreadTrialTests {
    @Test("enough threads are no error", arguments: [0, 1, 50])
    func enough(count: Int) throws {
        try ThreadTrial.require(count)
    }

    @Test("too few threads stop the start with their number and what to raise")
    func tooFew() {
        // No process has addresses for such a stack.
        let error = #expect(throws: ExitError.self) { try ThreadTrial.require(3, stackSize: 1 << 47) }
        #expect(error?.exitCode == 78)
        #expect(error?.description.hasPrefix("the server needs 3 threads, and the system gives it 0 (") == true)
        #expect(error?.description.contains("TasksMax") == true)
    }
}
