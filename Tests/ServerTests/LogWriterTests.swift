import Dispatch
import Glibc
import Logging
import Testing

@testable import Server

@Suite struct LogWriterTests {
    /// A pipe whose reading end the test reads.
    private struct Pipe {
        let reading: CInt
        let writing: CInt

        init() {
            var ends: [CInt] = [0, 0]
            pipe(&ends)
            (reading, writing) = (ends[0], ends[1])
        }

        /// Everything until the writing end is closed.
        func rest() -> String {
            close(writing)
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reading, &piece, piece.count)
                guard count > 0 else { break }
                text += piece.prefix(count)
            }
            close(reading)
            return String(decoding: text, as: UTF8.self)
        }
    }

    @Test("all lines are written in order by the end, also those from before the start")
    func lines() async throws {
        let pipe = Pipe()
        let writer = LogWriter(bound: 1 << 20, descriptor: pipe.writing)
        writer.write("before\n")
        try await writer.whileRunning {
            for number in 0..<100 { writer.write("line \(number)\n") }
        }
        #expect(pipe.rest() == "before\n" + (0..<100).map { "line \($0)\n" }.joined())
    }

    @Test("lines beyond the limit are dropped and counted")
    func dropped() async throws {
        let pipe = Pipe()
        let writer = LogWriter(bound: 12, descriptor: pipe.writing)
        for number in 0..<5 { writer.write("line \(number)\n") }
        try await writer.whileRunning {}
        #expect(
            pipe.rest() == "line 0\n4 log lines were dropped, because log.buffer (12 bytes) was full.\n"
        )
    }

    @Test("the error of the body is thrown after the lines are written")
    func failure() async throws {
        struct Failure: Error {}
        let pipe = Pipe()
        let writer = LogWriter(bound: 100, descriptor: pipe.writing)
        await #expect(throws: Failure.self) {
            try await writer.whileRunning {
                writer.write("last\n")
                throw Failure()
            }
        }
        #expect(pipe.rest() == "last\n")
    }

    @Test("a warning is written at once, and the lines before it")
    func warning() async throws {
        let pipe = Pipe()
        let writer = LogWriter(bound: 1 << 20, descriptor: pipe.writing, delay: .seconds(3600))
        var logger = Logger(label: "test") { BufferedLogHandler(label: $0, writer: writer) }
        logger[metadataKey: "id"] = "7"
        try await writer.whileRunning {
            logger.debug("unseen")
            logger.info("first")
            logger.warning("second")
            let start = ContinuousClock.now
            var poll = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
            while Glibc.poll(&poll, 1, 0) == 0, ContinuousClock.now - start < .seconds(20) { await Task.yield() }
            #expect(poll.revents & Int16(POLLIN) != 0)
        }
        let lines = pipe.rest().split(separator: "\n").map { $0.drop { $0 != " " } }
        #expect(lines == [" info test: id=7 [ServerTests] first", " warning test: id=7 [ServerTests] second"])
    }
}
