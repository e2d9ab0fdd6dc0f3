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
}
