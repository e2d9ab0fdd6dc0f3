import Support
import Testing

@testable import Domain

@Suite struct SingleFlightTests {
    private let flights = SingleFlight<String, Int>()
    private let works = Counter()
    private let begun = Gate()
    private let mayEnd = Gate()

    /// A task that waits for the value of a key when this returns; the work ends when the gate opens, or is cancelled.
    private func caller(
        for key: String = "key",
        afterwards: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> Task<Int, any Error> {
        Task.immediate { [flights, works, begun, mayEnd] in
            try await flights.value(for: key) {
                let number = works.next()
                begun.open()
                await mayEnd.wait()
                try Task.checkCancellation()
                return number
            } afterwards: { value in
                await afterwards(value)
            }
        }
    }

    @Test("the work is done once for all who want its result at the same time")
    func once() async throws {
        let callers = (0..<10).map { _ in caller() }
        await begun.wait()
        mayEnd.open()
        for caller in callers { #expect(try await caller.value == 0) }
        #expect(works.value == 1)
    }

    @Test("an error that concerns only its own caller makes the others begin again, once for all of them")
    func personalErrors() async throws {
        let haveValues = Gate()
        let callers = (0..<4).map { _ in
            Task.immediate { [flights, works, mayEnd] in
                try await flights.value(for: "key", isPersonal: { $0 is Personal }) {
                    let number = works.next()
                    await mayEnd.wait()
                    if number == 0 { throw Personal() }
                    return number
                } afterwards: { _ in
                    // A caller that begins again late still gets the value of the second work.
                    await haveValues.wait()
                }
            }
        }
        mayEnd.open()
        await #expect(throws: Personal.self) { try await callers[0].value }
        for caller in callers.dropFirst() { #expect(try await caller.value == 1) }
        haveValues.open()
        #expect(works.value == 2)
    }

    @Test("any other error is that of all callers")
    func sharedErrors() async throws {
        let callers = (0..<2).map { _ in
            Task.immediate { [flights, works, mayEnd] in
                try await flights.value(for: "key", isPersonal: { _ in false }) {
                    _ = works.next()
                    await mayEnd.wait()
                    throw Personal()
                }
            }
        }
        mayEnd.open()
        for caller in callers { await #expect(throws: Personal.self) { try await caller.value } }
        #expect(works.value == 1)
    }

    private struct Personal: Error {}

    @Test("other keys are other works")
    func otherKeys() async throws {
        let callers = ["a", "b"].map { caller(for: $0) }
        mayEnd.open()
        for caller in callers { _ = try await caller.value }
        #expect(works.value == 2)
    }

    @Test("when one of many gives up, the others get the value")
    func oneLeaves() async throws {
        let first = caller()
        let second = caller()
        await begun.wait()
        first.cancel()
        mayEnd.open()
        #expect(try await second.value == 0)
        #expect(works.value == 1)
    }

    @Test("when all give up, the work is cancelled")
    func allLeave() async throws {
        let callers = [caller(), caller()]
        await begun.wait()
        for caller in callers { caller.cancel() }
        // The gate stays closed: only cancellation ends the work.
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
    }

    @Test("who comes after all gave up does not get their cancelled work")
    func afterCancelled() async throws {
        let stopped = Gate()
        let mayStop = Gate()
        let older = Task.immediate { [flights, begun] in
            try await flights.value(for: "key") {
                begun.open()
                await Gate().wait()
                stopped.open()
                // Work that needs time to end.
                await Task { await mayStop.wait() }.value
                throw CancellationError()
            } afterwards: { _ in
            }
        }
        await begun.wait()
        older.cancel()
        await stopped.wait()
        let newer = caller()
        mayEnd.open()
        #expect(try await newer.value == 0)
        mayStop.open()
        await #expect(throws: CancellationError.self) { try await older.value }
    }

    @Test("the end of a cancelled work leaves the newer flight of its key alone")
    func cancelledLandsLate() async throws {
        let stopped = Gate()
        let mayStop = Gate()
        let older = Task.immediate { [flights, begun] in
            try await flights.value(for: "key") {
                begun.open()
                await Gate().wait()
                stopped.open()
                await Task { await mayStop.wait() }.value
                throw CancellationError()
            } afterwards: { _ in
            }
        }
        await begun.wait()
        older.cancel()
        await stopped.wait()
        let newer = caller()
        mayStop.open()
        await #expect(throws: CancellationError.self) { try await older.value }
        let another = caller()
        mayEnd.open()
        #expect(try await newer.value == 0)
        #expect(try await another.value == 0)
        #expect(works.value == 1)
    }

    @Test("who comes while the value is put away gets the same one")
    func afterwards() async throws {
        let puttingAway = Gate()
        let mayLand = Gate()
        let first = caller { _ in
            puttingAway.open()
            await mayLand.wait()
        }
        mayEnd.open()
        #expect(try await first.value == 0)
        await puttingAway.wait()
        #expect(try await caller().value == 0)
        #expect(works.value == 1)
        mayLand.open()
    }

    @Test("the value is handed out before it is put away")
    func handedOut() async throws {
        let mayLand = Gate()
        let first = caller { _ in await mayLand.wait() }
        mayEnd.open()
        #expect(try await first.value == 0)
        mayLand.open()
    }

    @Test("the value is stored although no caller waits for that")
    func putAway() async throws {
        let putAway = Gate()
        let log = Log()
        let first = caller { value in
            log.add("\(value) \(Task.isCancelled)")
            putAway.open()
        }
        mayEnd.open()
        _ = try await first.value
        first.cancel()
        await putAway.wait()
        #expect(log.lines == ["0 false"])
    }

    @Test("all who wait get the failure, and who comes later does the work anew")
    func failure() async throws {
        let mayFail = Gate()
        let failing = (0..<2).map { _ in
            Task.immediate { [flights] in
                try await flights.value(for: "key") {
                    await mayFail.wait()
                    throw Broken()
                } afterwards: { _ in
                    Issue.record("There is nothing to put away.")
                }
            }
        }
        mayFail.open()
        for task in failing { await #expect(throws: Broken.self) { try await task.value } }
        mayEnd.open()
        #expect(try await caller().value == 0)
    }

    @Test("who comes when a value is put away does the work anew")
    func landed() async throws {
        let puttingAway = Gate()
        let first = caller { _ in puttingAway.open() }
        mayEnd.open()
        _ = try await first.value
        await puttingAway.wait()
        // The flight lands just after it is put away.
        var value = 0
        while value == 0 {
            await Task.yield()
            value = try await caller().value
        }
        #expect(value == 1)
    }

    @Test("who gave up before the work began leaves nothing behind")
    func cancelledBefore() async throws {
        let task = Task.immediate { [flights, works] in
            await Gate().wait()
            return try await flights.value(for: "key") {
                try Task.checkCancellation()
                return works.next()
            } afterwards: { _ in
            }
        }
        task.cancel()
        _ = await task.result
        mayEnd.open()
        _ = try await caller().value
    }
}
