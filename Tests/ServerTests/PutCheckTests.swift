import Support
import Synchronization
import Testing

@testable import Domain
@testable import Server
@testable import Storage

/// The check of puts that have not ended.
@Suite struct PutCheckTests {
    private func put(ofAge isOld: Bool = true, _ key: String = "claimed.txt") throws -> UnendedPut {
        let key = try #require(FileKey(key))
        return UnendedPut(blob: BlobName(key), file: ObjectIDGenerator().next(), isOld: isOld)
    }

    @Test("an old put without a note is a note of its own, and a repair removes it")
    func abandoned() async throws {
        try await StorageCheckFixture.with { fixture in
            let put = try put()
            fixture.claims.puts.withLock { $0 = [put] }
            let found = try await fixture.check().findings
            #expect(found.map(\.kind) == ["abandoned-put"])
            #expect(found.first?.subject == "blobs/\(put.blob)" && found.first?.isDamage == false)
            #expect(found.first?.detail.contains("\(put.file)") == true)
            let repaired = try await fixture.check { $0.repairs = true }.findings
            #expect(repaired.map(\.repair) == ["removed; its bytes moved to lost+found/x"])
            #expect(try await fixture.kinds() == [])
        }
    }

    @Test("a put of today can go on, and stays also in a repair")
    func young() async throws {
        try await StorageCheckFixture.with { fixture in
            let put = try put(ofAge: false)
            fixture.claims.puts.withLock { $0 = [put] }
            #expect(try await fixture.kinds { $0.repairs = true } == [])
            #expect(fixture.claims.puts.withLock(\.self) == [put])
        }
    }

    @Test("a put with a note is ended by a server, and one with the note of another file is not")
    func noted() async throws {
        try await StorageCheckFixture.with { fixture in
            let put = try put()
            fixture.claims.puts.withLock { $0 = [put] }
            fixture.claims.notes.withLock { $0 = [CommitNote(file: put.file, blob: put.blob, isDraft: true)] }
            #expect(try await fixture.kinds() == [])
            let other = ObjectIDGenerator().next()
            fixture.claims.notes.withLock { $0 = [CommitNote(file: other, blob: put.blob, isDraft: true)] }
            #expect(try await fixture.kinds() == ["abandoned-put"])
        }
    }

    @Test("what a put of a file with a record left stays, also if the bytes are missing", arguments: [true, false])
    func neededBytes(areMissing: Bool) async throws {
        try await StorageCheckFixture.with { fixture in
            let record = fixture.records[0]
            if areMissing { try await fixture.blobs.blobs.remove(record.key) }
            let put = UnendedPut(blob: BlobName(record.key), file: record.id, isOld: true)
            fixture.claims.puts.withLock { $0 = [put] }
            #expect(try await fixture.kinds { $0.repairs = true } == (areMissing ? ["missing-blob"] : []))
            #expect(fixture.claims.puts.withLock(\.self) == [put])
        }
    }
}
