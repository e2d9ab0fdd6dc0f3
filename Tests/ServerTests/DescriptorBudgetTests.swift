import Storage
import Testing

@testable import Server

@Suite struct DescriptorBudgetTests {
    private func budget(
        _ limit: Int,
        apps: Int = 1,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws
        -> DescriptorBudget
    {
        var configuration = ServerConfiguration()
        change(&configuration)
        return try DescriptorBudget(limit: limit, for: configuration, apps: apps)
    }

    @Test("with many descriptors the settings count")
    func many() throws {
        let budget = try budget(1 << 20) { $0.http.maxConnections = 20_000 }
        #expect(budget.connections == 20_000)
        #expect(budget.openFiles == 256)
        #expect(budget.hotFiles == 256)
        #expect(try self.budget(1 << 20).connections == DescriptorBudget.defaultConnections)
    }

    @Test(
        "whatever the limit, there is one descriptor more than all can take",
        arguments: [256, 512, 1024, 4096, 65_536]
    )
    func shares(limit: Int) throws {
        let apps = limit >= 1024 ? 3 : 1
        let budget = try budget(limit, apps: apps)
        #expect(budget.connections >= DescriptorBudget.fewestConnections)
        #expect(2 * apps * budget.openFiles + budget.hotFiles <= limit / 4)
        #expect(2 * budget.connections + 2 * apps * budget.openFiles + budget.hotFiles + 64 <= limit)
    }

    @Test("a limit that leaves no connections stops the start")
    func few() {
        #expect(throws: ExitError.self) { try budget(128) }
    }

    @Test("a wish for few connections is granted")
    func wish() throws {
        #expect(try budget(256) { $0.http.maxConnections = 4 }.connections == 4)
    }
}
