import Domain
import Testing

@testable import HTTPAPI

@Suite struct BodyPaceTests {
    @Test(
        "a body can have any speed for thirty seconds of waiting, and then must arrive at eight kilobytes a second",
        arguments: [
            (1, 30, true), (1, 31, false), (8191, 31, false), (8192, 31, true), (819_200, 130, true),
            (819_200, 131, false),
        ]
    )
    func speed(arrived: Int, seconds: Int, isTaken: Bool) {
        var pace = BodyPace(speed: 8192)
        let result = Result { try pace.take(arrived, after: .seconds(seconds)) }
        #expect(((try? result.get()) != nil) == isTaken)
    }

    @Test("pieces and pauses are added up")
    func sum() throws {
        var pace = BodyPace(speed: 1024)
        for _ in 0..<30 { try pace.take(0, after: .seconds(1)) }
        try pace.take(1024, after: .seconds(1))
        #expect(throws: ServiceError.self) { try pace.take(1, after: .seconds(1)) }
    }

    @Test("the refusal names the speed")
    func refusal() {
        var pace = BodyPace(speed: 1024)
        let error = #expect(throws: ServiceError.self) { try pace.take(1, after: .seconds(60)) }
        #expect(error?.message.contains("1024 bytes a second") == true)
    }

    @Test(
        "a body of which much waits in memory must keep the speed of JSON, and saves no time by a fast beginning",
        arguments: [
            (1100, 34, true), (1100, 35, false), (8191, 1000, true), (8192, 100_000, true), (16_384, 100_000, true),
        ]
    )
    func buffered(speed: Int, seconds: Int, isTaken: Bool) {
        var pace = BufferedPace()
        let result = Result {
            // A large piece that comes at once does not allow the next ones to come slowly.
            try pace.take(1 << 20, after: .zero, holding: 1 << 20)
            for _ in 0..<seconds { try pace.take(speed, after: .seconds(1), holding: 1 << 20) }
        }
        #expect(((try? result.get()) != nil) == isTaken)
    }

    @Test("a body of which little waits in memory can have any speed")
    func unbuffered() {
        var pace = BufferedPace()
        #expect(throws: Never.self) {
            for _ in 0..<1000 { try pace.take(1, after: .seconds(1), holding: BufferedPace.free) }
        }
        let error = #expect(throws: ServiceError.self) {
            try pace.take(1, after: .seconds(31), holding: BufferedPace.free + 1)
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("8192 bytes a second") == true)
    }
}
