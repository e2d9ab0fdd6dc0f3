import Domain
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
        let cached = budget.hotFiles + apps * (2 * budget.openFiles + budget.idleUploads)
        #expect(2 * budget.connections + cached + 64 <= limit)
    }

    @Test(
        "idle uploads have at most a sixteenth of the descriptors, and 16 for each app",
        arguments: [(256, 1, 16), (256, 2, 8), (1024, 1, 16), (1024, 8, 8), (65_536, 8, 16)]
    )
    func idleUploads(limit: Int, apps: Int, count: Int) throws {
        #expect(try budget(limit, apps: apps).idleUploads == count)
    }

    @Test("a limit that leaves no connections stops the start")
    func few() {
        #expect(throws: ExitError.self) { try budget(128) }
    }

    @Test(
        "the limit that the refusal of a smaller one names is enough, and so is each larger one",
        arguments: [(1, 0, false), (3, 0, false), (40, 0, true), (1, 4, false), (200, 0, true)]
    )
    func advised(apps: Int, connections: Int, hasTLS: Bool) throws {
        var configuration = ServerConfiguration()
        configuration.http.maxConnections = connections
        if hasTLS { (configuration.tls.certificate, configuration.tls.key) = ("c", "k") }
        var advices: Set<Int> = []
        for limit in stride(from: 0, through: 100_000, by: 37) {
            do {
                _ = try DescriptorBudget(limit: limit, for: configuration, apps: apps)
                if let advice = advices.min(), limit > advice { break }
            } catch let error as ExitError {
                let digits = error.description.split(separator: "set it to ").last?.prefix(while: \.isNumber)
                advices.insert(try #require(digits.flatMap { Int($0) }))
            }
        }
        #expect(advices.count == 1)
        let advice = try #require(advices.first)
        for limit in advice..<advice + 2000 {
            #expect(throws: Never.self) { try DescriptorBudget(limit: limit, for: configuration, apps: apps) }
        }
    }

    @Test("with PostgreSQL there is a descriptor for each connection to the database, as many as doctor counts")
    func databases() throws {
        var configuration = ServerConfiguration()
        #expect(configuration.databaseConnections(apps: 3) == 0)
        configuration.databaseURL = Secret("postgres://db.example.com/lcfile")
        var reserves: [Int] = []
        for readers in [4, 10] {
            configuration.threads.databaseReaders = readers
            #expect(configuration.databaseConnections(apps: 3) == 3 * (2 * readers + 8))
            let budget = try DescriptorBudget(limit: 4096, for: configuration, apps: 3)
            reserves.append(4096 - 2 * budget.connections - 6 * budget.openFiles - budget.hotFiles)
        }
        // A connection of a client has two descriptors.
        #expect(abs(reserves[1] - reserves[0] - 3 * 12) <= 1)
    }

    @Test("a wish for few connections is granted")
    func wish() throws {
        #expect(try budget(256) { $0.http.maxConnections = 4 }.connections == 4)
    }
}
