import ArgumentParser
import FileClient
import Support
import Testing

@testable import Commands

@Suite struct TransferTests {
    private func snapshot(_ change: (inout TransferProgress.Snapshot) -> Void = { _ in }) -> TransferProgress.Snapshot {
        var snapshot = TransferProgress.Snapshot()
        (snapshot.files, snapshot.done, snapshot.size, snapshot.bytes) = (10, 3, 2 << 30, 1 << 30)
        snapshot.current = "photo.jpg"
        change(&snapshot)
        return snapshot
    }

    private func line(
        _ width: Int,
        rate: Double = 33_554_432,
        _ change: (inout TransferProgress.Snapshot) -> Void = { _ in }
    ) -> String {
        ProgressLine.text(snapshot(change), rate: rate, width: width, style: Style(isOn: false))
    }

    @Test("the line has share, bytes, rate, time, files and the current file")
    func line() {
        #expect(line(90) == " 50%  1.00 GiB / 2.00 GiB  32.0 MiB/s  ETA 0:32  3/10 files  photo.jpg")
        #expect(line(120).hasPrefix("[==========>         ]  50%"))
    }

    @Test("the line fits the terminal", arguments: [10, 20, 40, 60, 61, 70, 80, 99, 100, 140])
    func widths(width: Int) {
        let text = line(width) { $0.current = "照片照片照片照片照片照片照片照片照片照片照片照片照片照片照片照片照片.jpg" }
        #expect(Columns.count(text) < width)
    }

    @Test("what is unknown is left out")
    func unknown() {
        #expect(line(80, rate: 0) { ($0.size, $0.files, $0.current) = (nil, 1, nil) } == "1.00 GiB")
    }

    @Test("failures are counted, in red where there are colours")
    func failed() {
        #expect(line(120) { $0.failed = 2 }.contains("3/10 files  2 failed  photo.jpg"))
        let text = ProgressLine.text(snapshot { $0.failed = 2 }, rate: 1, width: 100, style: Style(isOn: true))
        #expect(text.contains("\u{1B}[31m2 failed\u{1B}[0m"))
    }

    @Test("not done is never 100%")
    func almost() {
        #expect(line(80) { ($0.bytes, $0.size) = (9999, 10000) }.hasPrefix(" 99%"))
        #expect(line(80) { ($0.bytes, $0.size) = (10000, 10000) }.hasPrefix("100%"))
    }

    @Test("the rate follows the bytes, and bytes that are sent again do not make it negative")
    func rate() {
        var meter = RateMeter()
        meter.sample(0, at: 0)
        meter.sample(100, at: 1)
        #expect(meter.rate == 100)
        meter.sample(50, at: 2)
        #expect(meter.rate > 0 && meter.rate < 100)
        for second in 3...60 { meter.sample(Int64(second) * 1000, at: Double(second)) }
        #expect(abs(meter.rate - 1000) < 1)
    }

    @Test("bytes under way count, and those of ended files stay")
    func progress() {
        let progress = TransferProgress(files: 2, size: 100)
        progress.begin(0, name: "a")
        progress.update(0, bytes: 30)
        progress.begin(1, name: "b")
        progress.update(1, bytes: 20)
        #expect(progress.snapshot.bytes == 50)
        #expect(progress.snapshot.current == "a")
        progress.end(0, bytes: 60, failed: true)
        #expect(progress.snapshot.bytes == 80)
        #expect(progress.snapshot.current == "b")
        #expect((progress.snapshot.done, progress.snapshot.failed) == (1, 1))
        progress.add(size: nil)
        #expect(progress.snapshot.size == nil)
    }

    @Test("lines are printed in the order of the files")
    func ordered() {
        var lines = OrderedLines()
        #expect(lines.add("b", at: 1) == [])
        #expect(lines.add(nil, at: 2) == [])
        #expect(lines.add("a", at: 0) == ["a", "b"])
        #expect(lines.add("e", at: 4) == [])
        #expect(lines.rest == ["e"])
    }

    @Test("one failure is a line, several have a heading, and very many are counted")
    func failures() {
        let failures = Failures()
        failures.add("a", UnusableFile(description: "bad"))
        #expect(failures.lines(of: 3, style: Style(isOn: false)) == ["lcfile: a: bad"])
        failures.add("b\n", UnusableFile(description: "worse"))
        let lines = ["lcfile: 2 of 3 files failed:", "lcfile: a: bad", "lcfile: b\u{FFFD}: worse"]
        #expect(failures.lines(of: 3, style: Style(isOn: false)) == lines)
        for _ in 0..<Failures.listed { failures.add("c", UnusableFile(description: "x")) }
        #expect(failures.lines(of: 3000, style: Style(isOn: false)).last == "lcfile: and 2 more")
        #expect(failures.exitStatus == 1)
    }
}

@Suite struct FileArgumentTests {
    @Test(
        "a file is an id, a key or a URL",
        arguments: [
            ("6b014fd02ccc0416011d10e3", .id("6b014fd02ccc0416011d10e3")), ("http://a/b", .url("http://a/b")),
            ("HTTPS://a/b", .url("HTTPS://a/b")), ("6b014fd02ccc0416011d10e", .key("6b014fd02ccc0416011d10e")),
            ("a/b c.jpg", .key("a/b c.jpg")), ("6b014fd02ccc0416011d10eg", .key("6b014fd02ccc0416011d10eg")),
        ] as [(String, FileArgument)]
    )
    func kinds(text: String, argument: FileArgument) {
        #expect(FileArgument(text) == argument)
    }

    @Test(
        "the key of a URL is its decoded path",
        arguments: [
            ("http://a/b%20c/%E7%85%A7.jpg?x", "b c/照.jpg"), ("http://a/", nil), ("http://a/%D6%D0.txt", nil),
        ] as [(String, String?)]
    )
    func keys(url: String, key: String?) {
        #expect(FileClient.key(in: url) == key)
    }

    @Test(
        "names do not lead out of the folder",
        arguments: [
            ("photo.jpg", "photo.jpg"), ("../../etc/passwd", "passwd"), ("..", "file"), ("", "file"), ("a/", "a"),
            ("/abs", "abs"), ("a\u{1B}b", "a\u{FFFD}b"), ("../\u{308}a", "\u{308}a"), ("a/../\u{308}..", "\u{308}.."),
        ]
    )
    func names(name: String, safe: String) {
        #expect(DownloadDestination.safe(name) == safe)
    }

    @Test("long names are shortened and keep their extension")
    func longNames() {
        let name = DownloadDestination.safe(String(repeating: "照", count: 100) + ".jpeg")
        #expect(name.utf8.count <= 240 && name.hasSuffix("照.jpeg"))
    }

    @Test(
        "grants become an ACL",
        arguments: [
            (["--read", "everyone"], #"{"*":{"read":true}}"#), (["--read", "none"], "{}"),
            (
                ["--read", "user:u", "--write", "user:u", "--write", "role:r"],
                #"{"role:r":{"write":true},"u":{"read":true,"write":true}}"#
            ),
        ]
    )
    func grants(arguments: [String], acl: String) throws {
        let command = try #require(try LCFileCommand.parseAsRoot(["upload", "x"] + arguments) as? UploadCommand)
        #expect(try command.description.description.acl?.description == acl)
    }

    @Test(
        "wrong options of files are refused",
        arguments: [
            ["upload", "-"], ["upload", "a", "b", "--name", "n"], ["upload", "a", "--read", "anybody"],
            ["upload", "a", "--acl", "{}", "--read", "none"], ["upload", "a", "--meta", "[1]"],
            ["upload", "a", "--key", "k", "--keep-name"], ["upload", "a", "--concurrency", "0"],
            ["upload", "a", "--bandwidth", "fast"], ["get"], ["get", "a", "b", "-o", "-"], ["ls", "--where", "1"],
            ["ls", "--limit", "0"], ["ls", "--all", "--limit", "1"], ["thumbnail", "a"],
            ["thumbnail", "a", "--width", "0"], ["thumbnail", "a", "--width", "1", "--format", "bmp"],
            ["thumbnail", "a", "--width", "1", "--quality", "101"],
            ["profile", "set", "a", "--app-key-file", "f", "--app-key-stdin"],
        ]
    )
    func wrongUsage(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments) }
        #expect(error.map { LCFileCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test("'-' is an argument, and names the standard input")
    func standardInput() throws {
        let parsed = try LCFileCommand.parseAsRoot(["upload", "-", "--name", "n"])
        #expect((parsed as? UploadCommand)?.files == ["-"])
    }
}
