import Domain
import Support
import Testing

@Suite struct QueryBudgetTests {
    private func spend(_ budget: QueryBudget) throws {
        while true { try budget.check() }
    }

    @Test("work that goes on is stopped with the refusal")
    func ends() {
        let budget = QueryBudget(milliseconds: 5, refusal: Spent())
        #expect(throws: Spent.self) { try budget.counting { try spend(budget) } }
    }

    @Test("what one body spent is gone for the next")
    func isShared() throws {
        let budget = QueryBudget(milliseconds: 5, refusal: Spent())
        try? budget.counting { try spend(budget) }
        #expect(throws: Spent.self) { try budget.counting {} }
    }

    @Test("time counts only while a body runs")
    func waits() throws {
        let budget = QueryBudget(milliseconds: 1, refusal: Spent())
        let other = QueryBudget(milliseconds: 5, refusal: Spent())
        try? other.counting { try spend(other) }
        try budget.check()
        #expect(try budget.counting { 1 } == 1)
    }

    @Test("a request that is cancelled is stopped, also before it runs")
    func cancelled() {
        let budget = QueryBudget(seconds: 100)
        budget.cancel()
        #expect(throws: CancellationError.self) { try budget.check() }
        #expect(throws: CancellationError.self) { try budget.counting {} }
        #expect(budget.isSpent)
    }

    @Test("the budget of a request names its setting")
    func names() throws {
        let budget = QueryBudget(seconds: 0)
        let error = #expect(throws: ServiceError.self) { try budget.counting {} }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("queries.timeout") == true)
    }
}

private struct Spent: Error {}
