import Dispatch
import Glibc
import Support
import Synchronization
import Testing

@testable import Commands

@Suite struct TerminalTests {
    @Test(
        "sizes have three digits",
        arguments: [
            (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (1536, "1.50 KiB"), (10_240, "10.0 KiB"),
            (102_400, "100 KiB"), (1_023_000, "999 KiB"), (1_048_575, "1.00 MiB"), (16_043_213, "15.3 MiB"),
            (1 << 30, "1.00 GiB"), (5 << 40, "5.00 TiB"), (.max, "8192 PiB"),
        ] as [(Int64, String)]
    )
    func bytes(count: Int64, text: String) {
        #expect(Amount.bytes(count) == text)
    }

    @Test(
        "rates are sizes for a second",
        arguments: [(0, "0 B/s"), (-1, "0 B/s"), (1_572_864, "1.50 MiB/s"), (.infinity, "0 B/s")]
    )
    func rates(rate: Double, text: String) {
        #expect(Amount.rate(rate) == text)
    }

    @Test(
        "times",
        arguments: [
            (0, "0:00"), (6.6, "0:07"), (59.6, "1:00"), (150, "2:30"), (3750, "1:02:30"), (190_000, "2d 4h"),
            (.infinity, "-"), (.nan, "-"), (-1, "-"),
        ]
    )
    func times(seconds: Double, text: String) {
        #expect(Amount.time(seconds) == text)
    }

    @Test(
        "sizes of options",
        arguments: [
            ("500", 500), ("64K", 65536), ("1.5MiB", 1_572_864), ("2 GB", 2 << 30), ("10m", 10 << 20), ("", nil),
            ("K", nil), ("-1", nil), ("1X", nil), ("1e5", nil), ("99999999999G", nil),
        ] as [(String, Int?)]
    )
    func parsing(text: String, bytes: Int?) {
        #expect(Amount.parse(text) == bytes)
    }

    @Test(
        "columns of characters",
        arguments: [("abc", 3), ("照片", 4), ("e\u{301}", 1), ("🚀", 2), ("❤️", 2), ("한", 2), ("", 0), ("1", 1), ("©", 1)]
    )
    func columns(text: String, count: Int) {
        #expect(Columns.count(text) == count)
    }

    @Test(
        "text is shortened to columns",
        arguments: [(10, "照片.jpg"), (8, "照片.jpg"), (7, "照片.j…"), (4, "照…"), (1, "…"), (0, "")]
    )
    func shortened(width: Int, text: String) {
        #expect(Columns.shortened("照片.jpg", to: width) == text)
    }

    @Test("wide characters align")
    func table() {
        #expect(Table.lines([["照片", "a"], ["x", "b"]]) == ["照片  a", "x     b"])
    }

    @Test("a name cannot control the terminal")
    func printable() {
        #expect(
            Terminal.printable("a\u{1B}[2Jb\r\n\u{202E}c\u{9B}") == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}\u{FFFD}c\u{FFFD}"
        )
        #expect(Terminal.printable("照片 🚀") == "照片 🚀")
    }

    @Test(
        "colours need a terminal that has them, and no NO_COLOR",
        arguments: [
            ([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false),
            (["TERM": "xterm"], true),
        ]
    )
    func colours(environment: [String: String], isOn: Bool) {
        #expect(Style.allows(environment) == isOn)
        #expect(Style(isOn: isOn).red("x") == (isOn ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }

    @Test("the first write of a result that fails stops the command and is told with its reason")
    func unwrittenOutput() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let output = ResultOutput(descriptor: full)
        let stops = Mutex(0)
        output.whenFailing { stops.withLock { $0 += 1 } }
        try output.requireWritten()
        output.write("a\n")
        output.write("b\n")
        let failure = #expect(throws: UnwrittenOutput.self) { try output.requireWritten() }
        #expect(failure?.description == "standard output cannot be written: No space left on device")
        #expect(stops.withLock { $0 } == 1)
        output.whenFailing { stops.withLock { $0 += 1 } }
        #expect(stops.withLock { $0 } == 2)
    }

    @Test("results that are written stop nothing, also on a descriptor that does not wait")
    func writtenOutput() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        defer { close(reading) }
        let output = ResultOutput(descriptor: writing)
        output.whenFailing { Issue.record("the output failed") }
        let text = String(repeating: "x", count: 1 << 20)
        DispatchQueue.global().async {
            output.write(text)
            close(writing)
        }
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            var poller = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            try #require(poll(&poller, 1, 10_000) == 1)
            let got = read(reading, &buffer, buffer.count)
            guard got > 0 else { break }
            count += got
        }
        #expect(count == text.utf8.count)
    }
}
