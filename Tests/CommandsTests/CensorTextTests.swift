import ArgumentParser
import FoundationEssentials
import Support
import Testing

@testable import Commands
@testable import FileClient

@Suite struct CensorTextTests {
    @Test(
        "a time is a date, a time in UTC or an age",
        arguments: [
            ("2026-11-21", "2026-11-21T00:00:00.000Z"), ("2026-11-21T08:01:20Z", "2026-11-21T08:01:20.000Z"),
            ("2026-11-21T08:01:20.175Z", "2026-11-21T08:01:20.175Z"), ("0s", "2023-11-14T22:13:20.000Z"),
            ("30m", "2023-11-14T21:43:20.000Z"), ("12h", "2023-11-14T10:13:20.000Z"),
            ("90d", "2023-08-16T22:13:20.000Z"), ("", nil), ("now", nil), ("7", nil), ("-7d", nil), ("7w", nil),
            ("2026-13-01", nil), ("2026-11-21 08:00", nil), ("2026-11-21T08:00:00", nil), ("21.11.2026", nil),
            ("2026-11-21T08:00:00+08:00", nil), ("2026-02-30", nil), ("2026-11-21T25:00:00Z", nil),
        ] as [(String, String?)]
    )
    func times(text: String, moment: String?) {
        #expect(TimeArgument.moment(text, now: Date(timeIntervalSince1970: 1_700_000_000)) == moment)
    }

    @Test(
        "ages",
        arguments: [
            ("45s", 45), ("1.5h", 5400), ("0d", 0), ("d", nil), ("1", nil), ("1e9d", nil), ("-1s", nil), ("nand", nil),
        ] as [(String, Double?)]
    )
    func ages(text: String, seconds: Double?) {
        #expect(Amount.seconds(text) == seconds)
    }

    @Test(
        "the value of a setting is JSON, or a string without quotation marks; an id is always a string",
        arguments: [
            ("auto=true", "auto", .bool(true)), ("rejectAbove=0.9", "rejectAbove", .number(0.9)),
            ("hashDistance=31", "hashDistance", .integer(31)), ("blockedImage=null", "blockedImage", .null),
            ("blockedImage=123", "blockedImage", .string("123")), ("auto=maybe", "auto", .string("maybe")),
            ("a=b=c", "a", .string("b=c")), (#"x="1""#, "x", .string("1")),
        ] as [(String, String, JSON)]
    )
    func settings(text: String, name: String, value: JSON) throws {
        #expect(try CensorSettings.change(text) == CensorSettings.Change(name: name, value: value))
    }

    @Test("a change without a name or a value is refused", arguments: ["auto", "auto=", "=true", "="])
    func badSettings(text: String) {
        #expect(throws: ValidationError.self) { try CensorSettings.change(text) }
    }

    @Test(
        "scores have three places",
        arguments: [
            (["nsfw": 0.0123], "nsfw 0.012"), (["b": 1, "a": 0.9996], "a 1.000, b 1.000"), (["x": 0], "x 0.000"),
            (["x": -0.5], "x -0.500"), ([:], nil), (nil, nil),
        ] as [([String: Double]?, String?)]
    )
    func scores(scores: [String: Double]?, text: String?) {
        #expect(ReviewTable.text(of: scores) == text)
    }

    @Test("lists for people have a header and units; names cannot control the terminal")
    func table() {
        var state = CensorState(objectId: "6b01", censorResult: .rejected)
        state.decidedBy = .machine
        state.checker = "classifier"
        state.scores = ["nsfw": 0.97]
        state.size = 2048
        state.createdAt = "2026-11-21T08:01:20.175Z"
        state.name = "a\u{1B}[2J.jpg"
        state.thumbnailURL = "http://x/y"
        let people = ReviewTable(isForPeople: true, showsURLs: false, style: Style(isOn: false))
        #expect(
            people.lines([state], showsHeader: true) == [
                "OBJECTID  VERDICT   DECIDED BY  SCORES      SIZE      CREATEDAT                 NAME",
                "6b01      rejected  classifier  nsfw 0.970  2.00 KiB  2026-11-21T08:01:20.175Z  a\u{FFFD}[2J.jpg",
            ]
        )
        let scripts = ReviewTable(isForPeople: false, showsURLs: true, style: Style(isOn: false))
        #expect(
            scripts.lines([state, CensorState(objectId: "6b02", censorResult: nil)], showsHeader: true) == [
                "6b01  rejected  classifier  nsfw 0.970  2048  2026-11-21T08:01:20.175Z  a\u{FFFD}[2J.jpg  http://x/y",
                "6b02  -         -           -           -     -                         -          -",
            ]
        )
    }

    @Test("the state of a file has only lines with values, and then its history")
    func show() throws {
        let json = """
            {"objectId":"6b01","censorResult":"passed","decidedBy":"person","by":"alice","note":"a painting",
            "history":[{"at":"T2","verdict":"passed","kind":"person","by":"alice","note":"a painting"},
            {"at":"T1","verdict":"review","kind":"machine","reason":"too dark"}]}
            """
        let state = try JSONDecoder().decode(CensorState.self, from: Data(json.utf8))
        #expect(
            CensorShow.lines(state, showsURL: true, style: Style(isOn: false)) == [
                "file        6b01", "verdict     passed", "decided by  alice", "note        a painting", "",
                "AT  VERDICT  DECIDED BY  SCORES  REASON", "T2  passed   alice       -       a painting",
                "T1  review   machine     -       too dark",
            ]
        )
        let none = CensorState(objectId: "6b01", censorResult: nil)
        #expect(
            CensorShow.lines(none, showsURL: true, style: Style(isOn: false)) == ["file     6b01", "verdict  none"]
        )
    }

    @Test(
        "an entry of the log has who, what and the change",
        arguments: [
            (
                #"{"at":"T","event":"verdict","file":"f","verdict":"rejected","kind":"person","by":"bob","note":"n"}"#,
                ["T", "verdict", "bob", "f", "rejected; n"]
            ),
            (
                #"{"at":"T","event":"settings","by":"bob","before":{"auto":false},"after":{"auto":true}}"#,
                ["T", "settings", "bob", "-", #"{"auto":false} → {"auto":true}"#]
            ),
            (#"{"at":"T","event":"run","run":"r","state":"done"}"#, ["T", "run", "-", "r", "done"]),
            (#"{"at":"T","event":"known","added":3,"removed":0}"#, ["T", "known", "-", "-", "added 3"]),
        ]
    )
    func log(json: String, cells: [String]) throws {
        let entry = try JSONDecoder().decode(CensorLogEntry.self, from: Data(json.utf8))
        #expect(CensorLogCommand.cells(entry) == cells)
    }

    @Test("the progress of a run counts finished files")
    func progress() {
        #expect(
            RunDisplay.progress(run(total: 1000, examined: 500, queued: 400, decided: 150))
                == " 25%  250/1000 files  140 passed  8 review  2 rejected"
        )
        #expect(RunDisplay.progress(run(total: 0, examined: 0, queued: 0, decided: 0)).hasPrefix("  0%  0/0 files"))
        #expect(RunDisplay.progress(run(total: 1, examined: 1, queued: 1, decided: 1)).hasPrefix("100%  1/1 file "))
    }

    private func run(total: Int, examined: Int, queued: Int, decided: Int) -> CensorRun {
        CensorRun(
            id: "r",
            state: .running,
            from: "a",
            to: "b",
            recheck: false,
            total: total,
            examined: examined,
            queued: queued,
            decided: decided,
            passed: 140,
            review: 8,
            rejected: 2,
            createdAt: "a",
            updatedAt: "b"
        )
    }
}
