import Dispatch
import Domain
import Support
import Testing

@testable import Server
@testable import Storage

/// Generations of a continuous backup that follow each other, in a target in memory.
@Suite struct GenerationRenewalTests {
    /// Steps until a generation began.
    private func renew(_ parts: ContinuousBackupFixture) async throws {
        try await eventually("no generation began") {
            if case .began = try parts.backup.step() { true } else { false }
        }
    }

    /// A generation of one segment is old.
    private static var renewing: ContinuousBackupSettings {
        var settings = ContinuousBackupSettings()
        settings.renewAfterSize = 1
        return settings
    }

    @Test("a generation takes changes until the next one is whole, which then has them all")
    func renewal() async throws {
        try await ContinuousBackupFixture.with(settings: Self.renewing) { parts in
            _ = try parts.backup.step()
            let held = DispatchSemaphore(value: 0)
            parts.target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .put, name.hasSuffix("/\(GenerationPart.base.rawValue)") else { return }
                held.wait()
            }
            // Also if an error ends the test: the renewal has to end before the fixture is removed.
            defer {
                parts.target.intercept(nil)
                held.signal()
            }
            var records: [FileRecord] = []
            for number in 1...3 {
                records.append(try await parts.upload("\(number)"))
                #expect(try parts.backup.step() == .stored(damage: []))
                #expect(parts.backup.lag.seconds == 0)
                #expect(parts.names(GenerationPart.manifest.rawValue).count == 1)
                #expect(try parts.segments() == number)
            }
            parts.target.intercept(nil)
            held.signal()
            try await renew(parts)
            #expect(parts.names(GenerationPart.manifest.rawValue).count == 2)
            records.append(try await parts.upload("last"))
            #expect(try parts.backup.step() == .stored(damage: []))
            #expect(try parts.segments() >= 1)
            let newest = try #require(parts.names(GenerationPart.manifest.rawValue).last).dropLast(
                GenerationPart.manifest.rawValue.count
            )
            let lists = parts.target.names.filter { $0.hasPrefix(newest) && parts.layout.isBlobList($0) }
            let listed = try lists.compactMap { try parts.target.get($0, limit: 1 << 20) }
                .map { String(decoding: $0, as: UTF8.self) }.joined()
            for record in records {
                let name = try #require(parts.name(record).split(separator: "/").last)
                #expect(listed.contains(name))
            }
        }
    }

    @Test("a renewal that fails leaves the generation before it as it is")
    func failedRenewal() async throws {
        try await ContinuousBackupFixture.with(settings: Self.renewing) { parts in
            _ = try parts.backup.step()
            parts.target.intercept { change, name throws(BackupTargetFailure) in
                guard change == .put, name.hasSuffix("/\(GenerationPart.base.rawValue)") else { return }
                throw BackupTargetFailure(.full, "full")
            }
            var number = 0
            try await eventually("the renewal does not fail") {
                number += 1
                try await parts.upload("\(number)")
                do {
                    _ = try parts.backup.step()
                    return false
                } catch is ExitError {
                    return true
                }
            }
            #expect(parts.names(GenerationPart.manifest.rawValue).count == 1)
            let before = try parts.segments()
            #expect(try parts.backup.step() == .stored(damage: []))
            #expect(try parts.segments() == before + 1)
        }
    }

    @Test("a generation that is perhaps whole, and gets no segments, is removed")
    func unsureGeneration() async throws {
        try await ContinuousBackupFixture.with(settings: Self.renewing) { parts in
            _ = try parts.backup.step()
            parts.target.intercept { [target = parts.target] change, name throws(BackupTargetFailure) in
                // Behind the manifest.
                let manifests = target.names.filter { $0.hasSuffix(GenerationPart.manifest.rawValue) }
                guard change == .get, name.hasPrefix(BackupLayout.locks), manifests.count == 2 else { return }
                throw BackupTargetFailure(.unavailable, "broken")
            }
            try await parts.upload("a")
            await #expect(throws: ExitError.self) { try await renew(parts) }
            parts.target.intercept(nil)
            try await parts.upload("b")
            #expect(try parts.backup.step() == .stored(damage: []))
            #expect(parts.names(GenerationPart.manifest.rawValue).count == 1)
            // The beginning of a generation changes the database, too: a step of its own or that of the file stores it.
            let segments = try parts.segments()
            #expect((2...3).contains(segments))
        }
    }

    @Test("a generation of another server is noticed")
    func anotherServer() async throws {
        try await ContinuousBackupFixture.with { parts in
            _ = try parts.backup.step()
            let later = GenerationTime(Timestamp(milliseconds: Timestamp.now().milliseconds + 60_000))
            try parts.target.put(parts.layout.object(.base, ofGeneration: later), bytes: [])
            try await parts.upload("a")
            let failure = #expect(throws: ExitError.self) { try parts.backup.step() }
            #expect("\(try #require(failure))".contains("another server"))
            #expect(parts.names(SegmentName.segmentSuffix).isEmpty)
        }
    }

    @Test("the next generation has a later name, also with a clock that was set back")
    func clock() async throws {
        try await ContinuousBackupFixture.with { parts in
            let later = GenerationTime(Timestamp(milliseconds: Timestamp.now().milliseconds + 3_600_000))
            _ = try BackupRepository(parts.target, creating: true)
            try parts.target.put(parts.layout.object(.base, ofGeneration: later), bytes: [])
            #expect(try parts.backup.step() == .began(damaged: 0))
            let manifest = try #require(parts.names(GenerationPart.manifest.rawValue).last)
            #expect(try #require(parts.layout.generation(of: manifest)) > later)
        }
    }
}
