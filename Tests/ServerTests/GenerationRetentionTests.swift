import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import Server
@testable import Storage

@Suite struct GenerationRetentionTests {
    private static let day: Int64 = 86_400

    /// Three generations that began 10 days, 8 days and an hour ago, each with a file of its own segment.
    private func store(_ fixture: RepositoryFixture) async throws -> [GenerationFixture] {
        var generations: [GenerationFixture] = []
        for hours in [240, 192, 1] {
            let begin = Timestamp.now().adding(seconds: -hours * 3600)
            let generation = try GenerationFixture(of: fixture, at: begin, [])
            let records = try await fixture.store(["\(hours)"])
            try generation.ship(at: begin.adding(seconds: 60), records)
            try await fixture.delete(records[0])
            try generation.ship(at: begin.adding(seconds: 120))
            generations.append(generation)
        }
        return generations
    }

    private func objects(_ fixture: RepositoryFixture, of generation: GenerationFixture) -> [String] {
        fixture.target.names.filter { $0.hasPrefix(generation.layout.root(ofGeneration: generation.time)) }
    }

    @Test("generations without a moment to keep go, and then the blobs that only they named")
    func moments() async throws {
        try await RepositoryFixture.with { fixture in
            let generations = try await store(fixture)
            let names = generations.map { "app \($0.time)" }
            let trial = try fixture.retain(dryRun: true)
            #expect(trial.removedGenerations == [names[0]])
            #expect(trial.keptGenerations == Array(names[1...]))
            #expect(objects(fixture, of: generations[0]).count == 6)
            fixture.target.advance(by: 2 * Self.day)
            let summary = try fixture.retain()
            #expect(summary.removedGenerations == [names[0]])
            #expect(summary.blobs == 1)
            #expect(objects(fixture, of: generations[0]) == [])
            #expect(fixture.blobs.count == 2)
            #expect(try fixture.verification(reading: .all).damageCount == 0)
            let last = try fixture.retain(moments: 60)
            #expect(last.keptGenerations == [names[2]])
            #expect(last.blobs == 1)
            #expect(try fixture.verification(reading: .all).damageCount == 0)
        }
    }

    @Test("a generation stays while the next one has a first segment of the moments to keep")
    func lateFirstSegment() async throws {
        try await RepositoryFixture.with { fixture in
            let old = try GenerationFixture(of: fixture, at: .now().adding(seconds: -20 * 86_400), [])
            try old.ship(at: .now().adding(seconds: -19 * 86_400), try await fixture.store(["a"]))
            let new = try GenerationFixture(of: fixture, at: .now().adding(seconds: -10 * 86_400), [])
            try new.ship(at: .now().adding(seconds: -6 * 86_400), try await fixture.store(["b"]))
            #expect(try fixture.retain().keptGenerations.count == 2)
            #expect(try fixture.retain(moments: 5 * Self.day).removedGenerations == ["app \(old.time)"])
        }
    }

    @Test("the manifest goes first, then segments, lists, and what the generation began with")
    func order() async throws {
        try await RepositoryFixture.with { fixture in
            let generation = try await store(fixture)[0]
            let root = generation.layout.root(ofGeneration: generation.time)
            let removed = Mutex<[String]>([])
            fixture.target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .remove, name.hasPrefix(root) else { return }
                removed.withLock { $0.append(String(name.split(separator: /[\/.]/).last ?? "")) }
            }
            _ = try fixture.retain()
            #expect(removed.withLock { $0 } == ["json", "segment", "segment", "blobs", "base", "files"])
        }
    }

    @Test("a retention that fails anywhere leaves whole generations, and a later one ends its work")
    func faults() async throws {
        try await RepositoryFixture.with { fixture in
            let generations = try await store(fixture)
            fixture.target.advance(by: 2 * Self.day)
            let calls = CallCount()
            var failures = 0
            for failing in 1...8 {
                calls.reset()
                fixture.target.intercept { change, name throws(BackupTargetFailure) in
                    guard change == .remove, !name.hasPrefix(".locks/"), calls.next() == failing else { return }
                    throw BackupTargetFailure(.unavailable, "\(name) cannot be removed")
                }
                if (try? fixture.retain()) == nil { failures += 1 }
                fixture.target.intercept(nil)
                #expect(try fixture.verification(reading: .all).damageCount == 0)
            }
            #expect(failures > 3)
            _ = try fixture.retain()
            #expect(objects(fixture, of: generations[0]) == [])
            #expect(fixture.blobs.count == 2)
        }
    }

    @Test("what an interrupted generation left goes a day later")
    func interrupted() async throws {
        try await RepositoryFixture.with { fixture in
            let generations = try await store(fixture)
            fixture.target.corrupt(generations[2].layout.object(.manifest, ofGeneration: generations[2].time), nil)
            #expect(try fixture.retain().removedGenerations == ["app \(generations[0].time)"])
            #expect(objects(fixture, of: generations[2]).count == 5)
            fixture.target.advance(by: RepositoryRetention.grace + 1)
            #expect(try fixture.retain().blobs == 2)
            #expect(objects(fixture, of: generations[2]) == [])
            #expect(fixture.blobs.count == 1)
        }
    }

    @Test("a list that is stored while a retention reads protects its blobs")
    func lateList() async throws {
        try await RepositoryFixture.with { fixture in
            let generations = try await store(fixture)
            fixture.target.advance(by: 2 * Self.day)
            let first = generations[0].layout.root(ofGeneration: generations[0].time)
            let list = try #require(fixture.target.names.first { $0.hasPrefix(first) && $0.hasSuffix(".blobs") })
            let bytes = try #require(try fixture.target.get(list, limit: .max))
            let last = generations[2]
            let name = SegmentName(number: 3, time: .now())
            let late = last.layout.blobs(of: name, ofGeneration: last.time)
            let locks = CallCount()
            fixture.target.intercept { [target = fixture.target] change, name throws(BackupTargetFailure) in
                guard change == .put, name.hasPrefix(".locks/"), locks.next() == 2 else { return }
                try target.put(late, bytes: bytes)
            }
            #expect(try fixture.retain().blobs == 0)
            #expect(fixture.target.names.contains(late))
            #expect(fixture.blobs.count == 3)
            fixture.target.intercept(nil)
            fixture.target.corrupt(late, nil)
            #expect(try fixture.retain().blobs == 1)
        }
    }

    @Test("a listing that lacks a list, as that of a folder while the list is stored, ends no retention")
    func lateListing() async throws {
        try await RepositoryFixture.with { fixture in
            let generations = try await store(fixture)
            fixture.target.advance(by: 2 * Self.day)
            let names = objects(fixture, of: generations[2])
            let list = try #require(names.first { $0.hasSuffix(SegmentName.blobsSuffix) })
            let locks = CallCount()
            fixture.target.intercept { [target = fixture.target] change, name throws(BackupTargetFailure) in
                if change == .put, name.hasPrefix(".locks/"), locks.next() == 2 { target.hide(list) }
            }
            #expect(try fixture.retain().blobs == 1)
            #expect(fixture.blobs.count == 2)
        }
    }

    @Test("without one of the lists of whole generations, no blob is removed")
    func missingList() async throws {
        try await RepositoryFixture.with { fixture in
            let generations = try await store(fixture)
            fixture.target.advance(by: 2 * Self.day)
            fixture.target.corrupt(generations[1].layout.object(.files, ofGeneration: generations[1].time), nil)
            fixture.expectRefusal(73, "missing") { try fixture.retain() }
            #expect(fixture.blobs.count == 3)
        }
    }

    @Test("a retention waits for a backup, and keeps later ones away meanwhile")
    func patience() async throws {
        try await RepositoryFixture.with { fixture in
            _ = try await store(fixture)
            let target = fixture.target
            let backup = try BackupLock(.backup, of: target)
            let held = try #require(target.names.first { $0.hasPrefix(".locks/backup-") })
            fixture.expectRefusal(73, "used by a backup") { try fixture.retain() }
            let looks = CallCount()
            let refused = Mutex(false)
            target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .get, name == held, looks.next() == 2 else { return }
                let later = Result { try BackupLock(.backup, of: target) }
                refused.withLock { $0 = (try? later.get()) == nil }
                target.corrupt(held, nil)
            }
            #expect(try fixture.retain(patience: 600).keptGenerations.count == 2)
            #expect(refused.withLock { $0 })
            backup.release()
        }
    }
}
