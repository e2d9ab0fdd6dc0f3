import Dispatch
import Domain
import Logging
import NIOPosix
import ServiceLifecycle
import Support
import Synchronization
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

    /// The loop of the backup, whose second step comes in an hour.
    private func loop(of parts: ContinuousBackupFixture) throws -> BackupLoop {
        let app = try #require(AppID("app"))
        return BackupLoop(parts.backup, of: app, interval: 3600, logger: Self.logger)
    }

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("changes behind the end of the service, of requests that run during a stop, are stored")
    func changesDuringStop() async throws {
        try await ContinuousBackupFixture.with { parts in
            let loop = try loop(of: parts)
            let service = ContinuousBackups(loops: [loop], interval: 3600, shutdownTimeout: 30, pool: .singleton)
            let group = ServiceGroup(services: [service], logger: Self.logger)
            async let end: Void = group.run()
            try await eventually("no generation began") { !parts.names(GenerationPart.manifest.rawValue).isEmpty }
            await group.triggerGracefulShutdown()
            try await end
            let last = try await parts.upload("last")
            await loop.finish(within: .seconds(600))
            #expect(try newestHas(last, parts))
        }
    }

    @Test("a stop waits no longer than its time for a target that does not answer")
    func silentTarget() async throws {
        try await ContinuousBackupFixture.with { parts in
            let hasCalled = Atomic(false)
            let answer = DispatchSemaphore(value: 0)
            parts.target.intercept { _, _ in
                hasCalled.store(true, ordering: .relaxed)
                answer.wait()
            }
            let loop = try loop(of: parts)
            loop.start()
            try await eventually("the target is not called") { hasCalled.load(ordering: .relaxed) }
            await loop.finish(within: .milliseconds(1))
            parts.target.intercept(nil)
            answer.signal()
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
