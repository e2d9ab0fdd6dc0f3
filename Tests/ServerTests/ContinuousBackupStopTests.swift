import Domain
import Support
import Testing

@testable import Server
@testable import Storage

/// What a continuous backup stores when the server stops, and when another server has the target.
@Suite struct ContinuousBackupStopTests {
    /// A generation of one segment is old.
    private static var renewing: ContinuousBackupSettings {
        var settings = ContinuousBackupSettings()
        settings.renewAfterSize = 1
        return settings
    }

    /// Begins a generation, and a renewal of it.
    private func startRenewal(_ parts: ContinuousBackupFixture) async throws {
        _ = try parts.backup.step()
        try await parts.upload("first")
        #expect(try parts.backup.step() == .stored(damage: []))
    }

    /// Waits until the renewal has stored its manifest and released its lock.
    private func waitForManifest(_ parts: ContinuousBackupFixture) async throws {
        try await eventually("no renewal became whole") {
            parts.names(GenerationPart.manifest.rawValue).count == 2
                && !parts.target.names.contains { $0.hasPrefix(BackupLayout.locks) }
        }
    }

    /// Whether a list of the newest whole generation names the file.
    private func newestHas(_ record: FileRecord, _ parts: ContinuousBackupFixture) throws -> Bool {
        let manifest = try #require(parts.names(GenerationPart.manifest.rawValue).last)
        let root = manifest.dropLast(GenerationPart.manifest.rawValue.count)
        let blob = try #require(parts.name(record).split(separator: "/").last)
        return try parts.target.names.filter { $0.hasPrefix(root) && parts.layout.isBlobList($0) }.contains { list in
            let bytes = try parts.target.get(list, limit: 1 << 20) ?? []
            return String(decoding: bytes, as: UTF8.self).contains(blob)
        }
    }

    @Test("a stop stores the last changes in a renewal that is whole, and that no step took yet")
    func wholeRenewal() async throws {
        try await ContinuousBackupFixture.with(settings: Self.renewing) { parts in
            try await startRenewal(parts)
            try await waitForManifest(parts)
            let last = try await parts.upload("last")
            try parts.backup.finish()
            #expect(try newestHas(last, parts))
        }
    }

    @Test("a stop stores the last changes in a generation that began as a renewal")
    func takenRenewal() async throws {
        try await ContinuousBackupFixture.with(settings: Self.renewing) { parts in
            try await startRenewal(parts)
            try await eventually("no renewal was taken") {
                if case .began = try parts.backup.step() { true } else { false }
            }
            let last = try await parts.upload("last")
            try parts.backup.finish()
            #expect(try newestHas(last, parts))
        }
    }

    @Test("a stop removes the manifest of a renewal that failed behind it, which lacks the last changes")
    func unsureRenewal() async throws {
        try await ContinuousBackupFixture.with(settings: Self.renewing) { parts in
            parts.target.intercept { [target = parts.target] change, name throws(BackupTargetFailure) in
                let manifests = target.names.filter { $0.hasSuffix(GenerationPart.manifest.rawValue) }
                guard change == .get, name.hasPrefix(BackupLayout.locks), manifests.count == 2 else { return }
                throw BackupTargetFailure(.unavailable, "broken")
            }
            try await startRenewal(parts)
            try await waitForManifest(parts)
            parts.target.intercept(nil)
            let last = try await parts.upload("last")
            try parts.backup.finish()
            #expect(parts.names(GenerationPart.manifest.rawValue).count == 1)
            #expect(try newestHas(last, parts))
        }
    }

    @Test("a server that another one replaced begins no generation when its capture loses its place")
    func replaced() async throws {
        var settings = ContinuousBackupSettings()
        settings.maxWaiting = 10_000
        try await ContinuousBackupFixture.with(settings: settings) { parts in
            _ = try parts.backup.step()
            let later = GenerationTime(Timestamp.now().adding(seconds: 60))
            try parts.target.put(parts.layout.object(.base, ofGeneration: later), bytes: [])
            for number in 0..<5 { try await parts.upload("\(number)") }
            parts.backup.advance()
            guard case .lost = try parts.backup.step() else {
                Issue.record("the limit does not hold")
                return
            }
            let failure = #expect(throws: ExitError.self) { try parts.backup.step() }
            #expect("\(try #require(failure))".contains("another server"))
            #expect(parts.names(GenerationPart.manifest.rawValue).count == 1)
        }
    }
}
