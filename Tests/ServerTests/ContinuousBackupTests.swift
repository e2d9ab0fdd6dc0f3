import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import Server
@testable import Storage

/// The steps of a continuous backup to a target in memory.
@Suite struct ContinuousBackupTests {
    @Test("a generation has the files from before it, and each segment those since the last one")
    func steps() async throws {
        try await ContinuousBackupFixture.with { parts in
            var records = [try await parts.upload("before")]
            #expect(parts.backup.lag.seconds > 0)
            #expect(try parts.backup.step() == .began(damaged: 0))
            #expect(try parts.backup.step() == .idle)
            #expect(parts.backup.lag.seconds == 0)
            for text in ["a", "b"] {
                records.append(try await parts.upload(text))
                #expect(parts.backup.lag.seconds >= 0)
                #expect(try parts.backup.step() == .stored(damage: []))
            }
            #expect(try parts.segments() == 2)
            let names = Set(records.map(parts.name))
            #expect(names.isSubset(of: parts.target.names))
            #expect(try parts.listed() == Set(names.map { String($0.split(separator: "/").last ?? "") }))
        }
    }

    @Test("a call that fails loses nothing: the next step stores the same segment")
    func failures() async throws {
        try await ContinuousBackupFixture.with { parts in
            _ = try parts.backup.step()
            for failing in 0..<3 {
                try await parts.upload("text \(failing)")
                let calls = Mutex(0)
                parts.target.intercept { change, _ throws(BackupTargetFailure) in
                    guard change == .put,
                        calls.withLock({
                            $0 += 1
                            return $0
                        }) == failing + 1
                    else { return }
                    throw BackupTargetFailure(.unavailable, "broken")
                }
                #expect(throws: ExitError.self) { try parts.backup.step() }
                #expect(parts.backup.lag.bytes > 0)
                parts.target.intercept(nil)
                #expect(try parts.backup.step() == .stored(damage: []))
                #expect(try parts.segments() == failing + 1)
            }
            #expect(parts.backup.lag.bytes == 0)
        }
    }

    @Test("a generation that cannot be stored is none, and the next step begins another one")
    func failedGeneration() async throws {
        try await ContinuousBackupFixture.with { parts in
            try await parts.upload("before")
            for suffix in [
                GenerationPart.base.rawValue, GenerationPart.files.rawValue, GenerationPart.manifest.rawValue,
            ] {
                parts.target.intercept { change, name throws(BackupTargetFailure) in
                    guard change == .put, name.hasSuffix("/\(suffix)") else { return }
                    throw BackupTargetFailure(.full, "full")
                }
                #expect(throws: ExitError.self) { try parts.backup.step() }
                #expect(parts.names(GenerationPart.manifest.rawValue).isEmpty)
            }
            parts.target.intercept(nil)
            #expect(try parts.backup.step() == .began(damaged: 0))
            #expect(parts.target.names.filter { $0.hasPrefix(BackupLayout.locks) }.isEmpty)
        }
    }

    @Test("a file of the base without bytes is damaged, unless it was deleted since", arguments: [false, true])
    func deletedSinceBase(isDeleted: Bool) async throws {
        try await ContinuousBackupFixture.with(hasDeletedAll: isDeleted) { parts in
            let record = try await parts.upload("gone")
            try await parts.bytes.blobs.remove(record.key)
            #expect(try parts.backup.step() == .began(damaged: isDeleted ? 0 : 1))
            #expect(try parts.listed().isEmpty)
        }
    }

    @Test("a file that is deleted before its bytes are stored is in no list")
    func deleted() async throws {
        try await ContinuousBackupFixture.with { parts in
            _ = try parts.backup.step()
            let gone = try await parts.upload("gone")
            try await parts.delete(gone)
            let left = try await parts.upload("left")
            #expect(try parts.backup.step() == .stored(damage: []))
            #expect(!parts.target.names.contains(parts.name(gone)))
            #expect(try parts.listed().count == 1)
            #expect(parts.target.names.contains(parts.name(left)))
        }
    }

    @Test(
        "while the folder of the blobs is away nothing is stored, and all files are when it is back",
        arguments: ["generation", "segment"]
    )
    func displacedBlobs(part: String) async throws {
        try await ContinuousBackupFixture.with { parts in
            if part == "segment" { _ = try parts.backup.step() }
            let record = try await parts.upload("text")
            let (blobs, aside) = ("\(parts.storage)/app/blobs", "\(parts.storage)/app/aside")
            try FileManager.default.moveItem(atPath: blobs, toPath: aside)
            let error = #expect(throws: ExitError.self) { try parts.backup.step() }
            #expect(error?.description.contains(blobs) == true)
            try FileManager.default.moveItem(atPath: aside, toPath: blobs)
            let stored: ContinuousBackup.Outcome = part == "segment" ? .stored(damage: []) : .began(damaged: 0)
            #expect(try parts.backup.step() == stored)
            #expect(parts.target.names.contains(parts.name(record)))
            #expect(try parts.listed().count == 1)
        }
    }

    @Test("a retention excludes a segment only with the blob of a file that is back")
    func retention() async throws {
        try await ContinuousBackupFixture.with { parts in
            _ = try parts.backup.step()
            let first = try await parts.upload("bytes")
            #expect(try parts.backup.step() == .stored(damage: []))
            try await parts.delete(first)
            #expect(try parts.backup.step() == .stored(damage: []))
            let lock = try BackupLock(.retention, of: parts.target)
            try await parts.upload("new")
            #expect(try parts.backup.step() == .stored(damage: []))
            try await parts.upload("bytes", as: first.key)
            #expect(throws: ExitError.self) { try parts.backup.step() }
            lock.release()
            #expect(try parts.backup.step() == .stored(damage: []))
            #expect(try parts.segments() == 4)
        }
    }

    @Test("changes beyond the limit end the generation and count as lag, and the next one has them")
    func limit() async throws {
        var settings = ContinuousBackupSettings()
        settings.maxWaiting = 10_000
        try await ContinuousBackupFixture.with(settings: settings) { parts in
            _ = try parts.backup.step()
            for number in 0..<5 { try await parts.upload("\(number)") }
            parts.backup.advance()
            guard case .lost = try parts.backup.step() else {
                Issue.record("the limit does not hold")
                return
            }
            // The oldest change can be as new as this millisecond.
            try await eventually { parts.backup.lag.seconds > 0 }
            #expect(try parts.backup.step() == .began(damaged: 0))
            #expect(parts.names(GenerationPart.manifest.rawValue).count == 2)
            #expect(try parts.listed().count == 5)
        }
    }
}
