import Domain
import Foundation
import Support
import Testing

@testable import Server
@testable import Storage

@Suite struct RetentionTests {
    @Test("a retention removes old snapshots and then the files that no list names")
    func retention() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["a", "b"])
            _ = try fixture.backUp()
            try await fixture.delete(records[0])
            _ = try fixture.backUp()
            let blob = BackupLayout(fixture.app).blobs
            fixture.target.corrupt("\(blob)foreign", [1])
            fixture.target.advance(by: RepositoryRetention.grace / 2)
            // Named by a list of the continuous backup only.
            let kept = BackupBlob(of: FileEntry(id: records[0].id, key: records[0].key, facts: records[0].facts))
            try fixture.target.put("app/wal/1/files", bytes: Array("\(kept)\n".utf8))
            #expect(try fixture.retain(dryRun: true).removed.count == 1)
            #expect(try fixture.target.list(prefix: "app/snapshots/", after: nil, limit: 100).count == 6)
            let first = try fixture.retain()
            #expect(first.removed.count == 1)
            #expect(first.kept.count == 1)
            #expect(first.blobs == 0)
            fixture.target.advance(by: RepositoryRetention.grace)
            #expect(try fixture.retain().blobs == 0)
            try fixture.target.remove(["app/wal/1/files"])
            let last = try fixture.retain()
            #expect(last.blobs == 1)
            #expect(last.bytes == 1)
            #expect(fixture.blobs.count == 2)
            #expect(try fixture.verify() == (0, 0, 1))
            #expect(try fixture.restore().files == 1)
        }
    }

    @Test("a retention that fails anywhere leaves whole snapshots, and the next one ends its work")
    func retentionFaults() async throws {
        try await RepositoryFixture.with { fixture in
            for number in 0..<3 {
                let records = try await fixture.store(["file \(number)"])
                _ = try fixture.backUp()
                try await fixture.delete(records[0])
            }
            fixture.target.advance(by: 2 * RepositoryRetention.grace)
            let calls = CallCount()
            var failures = 0
            for failing in 1...20 {
                calls.reset()
                fixture.target.intercept { change, name throws(BackupTargetFailure) in
                    guard change == .remove, !name.hasPrefix(".locks/"), calls.next() == failing else { return }
                    throw BackupTargetFailure(.unavailable, "\(name) cannot be removed")
                }
                if (try? fixture.retain()) == nil { failures += 1 }
                fixture.target.intercept(nil)
                #expect(try fixture.verification(reading: .all).damagedFiles == 0)
            }
            #expect(failures > 3)
            _ = try fixture.retain()
            #expect(try fixture.target.list(prefix: "app/", after: nil, limit: 100).count == 4)
        }
    }

    @Test("what an interrupted backup left goes a day later")
    func interrupted() async throws {
        try await RepositoryFixture.with { fixture in
            try await fixture.store(["a"])
            _ = try fixture.backUp()
            let files = "app/snapshots/20270101T000000.000Z/files"
            let name = "\(String(repeating: "ab", count: 32)).hash"
            try fixture.target.put(files, bytes: Array("\(name)\n".utf8))
            try fixture.target.put("app/blobs/ab/\(name)", bytes: [1])
            _ = try fixture.retain()
            #expect(fixture.target.names.contains(files))
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            let summary = try fixture.retain()
            #expect(!fixture.target.names.contains(files))
            #expect(summary.blobs == 1)
            #expect(try fixture.verify() == (0, 0, 1))
        }
    }

    @Test("a list that is not the one of its manifest ends a retention before a blob goes")
    func damagedList() async throws {
        try await RepositoryFixture.with { fixture in
            let records = try await fixture.store(["a", "b"])
            _ = try fixture.backUp()
            fixture.target.advance(by: 2 * RepositoryRetention.grace)
            let list = try #require(fixture.target.names.first { $0.hasSuffix("/files") })
            let blob = BackupBlob(of: FileEntry(id: records[0].id, key: records[0].key, facts: records[0].facts))
            let text = String(decoding: try #require(try fixture.target.get(list, limit: .max)), as: UTF8.self)
            // Another valid name, as one flipped bit makes it; and a line less.
            let other = blob.description.dropLast() + (blob.description.hasSuffix("a") ? "b" : "a")
            for damaged in [text.replacing(blob.description, with: other), text.replacing("\(blob)\n", with: "")] {
                fixture.target.corrupt(list, Array(damaged.utf8))
                fixture.expectRefusal(73, "files", "is damaged; no blob was removed") { try fixture.retain() }
                #expect(fixture.blobs.count == 2)
            }
        }
    }
}
