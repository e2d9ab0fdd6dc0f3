import Glibc
import Testing

@testable import Domain

@Suite struct DurationTests {
    @Test("whole milliseconds and microseconds drop the rest")
    func units() {
        #expect(Duration.microseconds(2_001_999).milliseconds == 2001)
        #expect(Duration.nanoseconds(2_001_999).microseconds == 2001)
        #expect(Duration.milliseconds(-1500).milliseconds == -1500)
    }

    @Test("the time of a thread has what it computes, and not what it waits")
    func threadTime() {
        let start = Duration.threadTime
        usleep(200_000)
        #expect(Duration.threadTime - start < .milliseconds(100))
        var sum = 0
        while Duration.threadTime - start < .milliseconds(101) { sum &+= 1 }
        #expect(sum > 0)
    }
}
