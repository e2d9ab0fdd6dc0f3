import Support
import Testing

@testable import Domain

@Suite struct BlobSubsetTests {
    @Test("a part is N of M", arguments: ["1/1", "1/30", "30/30", "10000/10000"])
    func valid(text: String) {
        #expect(BlobSubset(text)?.description == text)
    }

    @Test(
        "what is no part is refused",
        arguments: ["", "/", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/3", "1/10001", "1/ 3", "1.0/3"]
    )
    func invalid(text: String) {
        #expect(BlobSubset(text) == nil)
    }

    @Test("each blob is in exactly one part, and the parts have about as many")
    func parts() throws {
        let blobs = try (0..<3000).map { BlobName(try #require(FileKey("\($0).jpg"))) }
        let parts = try (1...30).map { try #require(BlobSubset("\($0)/30")) }
        let sizes = parts.map { part in blobs.count { part.contains($0) } }
        #expect(sizes.reduce(0, +) == blobs.count)
        #expect(sizes.allSatisfy { (50...160).contains($0) })
        #expect(blobs.allSatisfy(BlobSubset.all.contains))
    }
}

@Suite struct BlobComparisonTests {
    private let files: [NamedFile]

    init() throws {
        files = try (0..<6).map { number in
            let record = try Samples.record("\(number).jpg")
            return NamedFile(FileEntry(id: record.id, key: record.key, facts: record.facts))
        }.sorted { $0.blob < $1.blob }
    }

    @Test("each side shows what the other one lacks", arguments: 0..<64)
    func sides(of set: Int) {
        let stored = files.enumerated().filter { set >> $0.offset & 1 == 1 }.map(\.element.blob)
        let comparison = BlobComparison(of: stored, with: files)
        #expect(comparison.present.map(\.blob) == stored)
        #expect(comparison.missing == files.filter { !stored.contains($0.blob) }.map(\.entry))
        #expect(comparison.unnamed.isEmpty)
        let reverse = BlobComparison(of: files.map(\.blob), with: files.filter { stored.contains($0.blob) })
        #expect(reverse.unnamed == files.map(\.blob).filter { !stored.contains($0) })
        #expect(reverse.missing.isEmpty)
    }

    @Test("a blob that is in both layouts counts once")
    func twice() {
        let comparison = BlobComparison(of: [files[0].blob, files[0].blob], with: [files[0]])
        #expect(comparison.present == [files[0]])
        #expect(comparison.unnamed.isEmpty)
    }
}

@Suite struct FileReferencesTests {
    @Test(
        "files are found in fields, arrays and nested objects",
        arguments: [
            (#"{"a":{"__type":"Pointer","className":"_File","objectId":"f1"}}"#, ["f1"]),
            (#"{"a":{"__type":"File","id":"f1","name":"a.png"}}"#, ["f1"]),
            (#"{"a":{"__type":"File","objectId":"f1"}}"#, ["f1"]),
            (
                #"{"a":[1,{"b":{"__type":"Pointer","className":"_File","objectId":"f1"}},[{"__type":"File","id":"f2"}]]}"#,
                ["f1", "f2"]
            ),
            (#"{"a":{"__type":"File","url":"https://example.com/a.png"}}"#, []),
            (#"{"a":{"__type":"Pointer","className":"Task","objectId":"f1"}}"#, []),
            (#"{"a":"_File","b":{"id":"f1"},"c":null,"d":{"__type":"File","id":7}}"#, []),
        ]
    )
    func found(text: String, ids: [String]) throws {
        let value = try JSONValue(parsing: Array(text.utf8), field: "object")
        #expect(FileReferences.ids(in: value).map(\.description).sorted() == ids)
    }
}

@Suite struct ScrubPaceTests {
    @Test(
        "the rate reads everything within the days, and not less than the lowest rate",
        arguments: [
            (Int64(86_400 * 30 * 5), 30.0, Int64(1), 5.0), (0, 30, 1024, 1024), (86_400, 1, 100, 100),
            (Int64(86_400) << 20, 1, 1, Double(1 << 20)),
        ]
    )
    func rate(bytes: Int64, days: Double, least: Int64, rate: Double) {
        #expect(ScrubPace(bytes: bytes, days: days, least: least).rate == rate)
    }

    @Test("a piece is followed by the rest of its time at the rate, or by three times its own time on a busy disk")
    func pause() {
        let pace = ScrubPace(bytes: 0, days: 30, least: 1000)
        #expect(pace.pause(after: 1000, taking: .milliseconds(10)) == .milliseconds(990))
        #expect(pace.pause(after: 1000, taking: .milliseconds(500)) == .milliseconds(1500))
        #expect(pace.pause(after: 0, taking: .zero) == .zero)
    }
}

@Suite struct ScrubStateTests {
    @Test("a state is read as it was stored")
    func roundTrip() throws {
        var state = ScrubState()
        #expect(ScrubState(state.encoded) == state)
        state.ended = Timestamp(milliseconds: 1_700_000_000_123)
        state.begin(at: Timestamp(milliseconds: 1_800_000_000_000))
        state.rows = RowPosition(classNumber: 3, rowNumber: 70)
        state.file = ObjectID("64f0c0ffee00000000000001")
        state.bytes = 1 << 40
        state.files = 7
        state.hasRows = true
        #expect(ScrubState(state.encoded) == state)
        #expect(state.ended?.milliseconds == 1_700_000_000_123)
    }

    @Test("other bytes are no state", arguments: ["", "[]", "{", "null"])
    func other(text: String) {
        #expect(ScrubState(Array(text.utf8)) == nil)
    }

    @Test("a round that has no begin does not run")
    func noBegin() {
        #expect(ScrubState(Array(#"{"running":true}"#.utf8))?.isRunning == false)
    }
}
