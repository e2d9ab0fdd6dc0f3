import Dispatch
import Domain
import Glibc
import Logging
import Support
import Testing

@testable import HTTPAPI
@testable import Server

@Suite struct LogWriterTests {
    /// A pipe whose reading end the test reads.
    private struct Pipe {
        let reading: CInt
        let writing: CInt

        init() {
            var ends: [CInt] = [0, 0]
            pipe(&ends)
            // A program that another test starts would hold the writing end open.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
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

    private static func line(_ message: String) -> LogLine {
        LogLine(time: Timestamp(milliseconds: 0), level: .info, logger: "test", message: message, fields: [])
    }

    /// How a line with a message is written.
    private static func written(_ message: String) -> String { "1970-01-01T00:00:00.000Z info test: \(message)\n" }

    private static func request(_ path: String) -> RequestRecord {
        RequestRecord(
            time: Timestamp(milliseconds: 0),
            id: "7",
            app: nil,
            client: .unknown,
            method: "GET",
            path: path,
            route: nil,
            status: 404,
            bytes: 9,
            duration: .zero,
            isComplete: true
        )
    }

    @Test("all lines are written in order by the end, also those from before the start")
    func lines() async throws {
        let pipe = Pipe()
        let writer = LogWriter(bound: 1 << 20, descriptor: pipe.writing)
        writer.write(LogWriterTests.line("before"))
        try await writer.whileRunning {
            for number in 0..<100 { writer.write(LogWriterTests.line("\(number)")) }
        }
        let expected = ["before"] + (0..<100).map { "\($0)" }
        #expect(pipe.rest() == expected.map(LogWriterTests.written).joined())
    }

    @Test("lines of requests stand between the others in order")
    func requests() async throws {
        let pipe = Pipe()
        let writer = LogWriter(bound: 1 << 20, descriptor: pipe.writing)
        try await writer.whileRunning {
            writer.write(LogWriterTests.line("before"))
            writer.write(LogWriterTests.request("/a"))
            writer.write(LogWriterTests.line("after"))
        }
        let lines = pipe.rest().split(separator: "\n")
        #expect(lines.map { $0.contains("path=/a") } == [false, true, false])
    }

    @Test("lines beyond the limit are dropped and counted, of requests as of others", arguments: [false, true])
    func dropped(areRequests: Bool) async throws {
        let pipe = Pipe()
        let size = areRequests ? 256 + 2 : LogWriterTests.written("0").utf8.count
        let writer = LogWriter(bound: 2 * size + 1, descriptor: pipe.writing)
        for number in 0..<5 {
            if areRequests {
                writer.write(LogWriterTests.request("/\(number)"))
            } else {
                writer.write(LogWriterTests.line("\(number)"))
            }
        }
        try await writer.whileRunning {}
        let lines = pipe.rest().split(separator: "\n")
        #expect(lines.count == 3)
        let last = try #require(lines.last)
        #expect(last.hasSuffix("3 log lines were dropped, because log.buffer (\(2 * size + 1) bytes) was full."))
    }

    @Test("the error of the body is thrown after the lines are written")
    func failure() async throws {
        struct Failure: Error {}
        let pipe = Pipe()
        let writer = LogWriter(bound: 1000, descriptor: pipe.writing)
        await #expect(throws: Failure.self) {
            try await writer.whileRunning {
                writer.write(LogWriterTests.line("last"))
                throw Failure()
            }
        }
        #expect(pipe.rest() == LogWriterTests.written("last"))
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
            var poll = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
            try await eventually { Glibc.poll(&poll, 1, 0) != 0 }
            #expect(poll.revents & Int16(POLLIN) != 0)
        }
        let lines = pipe.rest().split(separator: "\n").map { $0.drop { $0 != " " } }
        #expect(lines == [" info test: first id=7", " warning test: second id=7"])
    }
}
