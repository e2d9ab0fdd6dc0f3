import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Files of several apps under the same keys.
@Suite struct KeyClaimsTests {
    private let apps: [HostedApp]

    /// An app beside others.
    private struct HostedApp {
        let fixture: UploadFixture
        let master: Caller

        init(_ name: String) throws {
            fixture = try UploadFixture()
            master = Caller(app: try #require(AppID(name)), isMaster: true)
        }

        func service(_ keyClaims: KeyClaims, _ limits: UploadLimits = UploadLimits()) -> UploadService {
            UploadService(
                app: master.app,
                limits: limits,
                storage: fixture.storage,
                store: fixture.store,
                types: FixedTypes(),
                sessions: fixture.people.sessions,
                keyClaims: keyClaims
            )
        }

        func announce(_ key: String, on service: UploadService, size: Int64? = nil) async throws -> UploadToken {
            let description = UploadDescription(name: try FileName("a.txt", limit: 255))
            let announcement = UploadAnnouncement(description, key: key, size: size)
            return try await service.announce(announcement, as: master).token
        }
    }

    init() throws {
        apps = [try HostedApp("first"), try HostedApp("second")]
    }

    private func services(_ limits: UploadLimits = UploadLimits()) -> [UploadService] {
        let keyClaims = KeyClaims()
        return apps.map { $0.service(keyClaims, limits) }
    }

    @Test("of two apps that announced one key the first that finishes has it, and nothing of the other stays")
    func second() async throws {
        let services = services()
        let tokens = [
            try await apps[0].announce("logo.png", on: services[0]),
            try await apps[1].announce("logo.png", on: services[1]),
        ]
        _ = try await services[0].put("first", tokens[0])
        await expectFailure(.duplicateValue) { try await services[1].put("second", tokens[1]) }
        #expect(try await services[1].knows(tokens[1]) == false)
        #expect(apps[1].fixture.store.count(of: .file) == 0)
        #expect(apps[1].fixture.store.count(of: .upload) == 0)
        #expect(apps[1].fixture.blobs.count == 0)
        #expect(apps[1].fixture.staging.count == 0)
        #expect(try await apps[1].fixture.usage() == Usage())
        await expectFailure(.duplicateValue) { try await apps[1].announce("logo.png", on: services[1]) }
    }

    @Test("the key is found taken after a restart, and by an upload that grew")
    func restart() async throws {
        let before = services()
        let first = try await apps[0].announce("logo.png", on: before[0])
        let second = try await apps[1].announce("logo.png", on: before[1], size: 3)
        _ = try await before[1].append("ab", at: 0, second)
        _ = try await before[0].put("first", first)
        let after = services()
        await expectFailure(.duplicateValue) { try await after[1].append("c", at: 2, second) }
        #expect(try await after[1].knows(second) == false)
        #expect(apps[1].fixture.staging.count == 0)
    }

    @Test("of two apps that finish at the same moment one has the key")
    func race() async throws {
        let services = services()
        for round in 0..<50 {
            let key = "logo \(round).png"
            let tokens = [
                try await apps[0].announce(key, on: services[0]), try await apps[1].announce(key, on: services[1]),
            ]
            let made = await withTaskGroup(of: Bool.self) { group in
                for (service, token) in zip(services, tokens) {
                    group.addTask { (try? await service.put("bytes", token)) != nil }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(made == 1)
            let count = apps[0].fixture.store.count(of: .file) + apps[1].fixture.store.count(of: .file)
            #expect(count == round + 1)
        }
    }

    @Test("a key whose first file was refused is free for the second")
    func refused() async throws {
        let keyClaims = KeyClaims()
        let strict = apps[0].service(keyClaims, UploadLimits(types: try #require(TypePolicy("image/*"))))
        let second = apps[1].service(keyClaims)
        let first = try await apps[0].announce("logo", on: strict)
        let token = try await apps[1].announce("logo", on: second)
        await expectFailure(.forbidden) { try await strict.put("text", first) }
        let record = try await second.put("second", token)
        #expect(try await apps[1].fixture.text(of: record.key) == "second")
    }

    @Test("a key has one claim at a time")
    func claim() async throws {
        let keyClaims = KeyClaims()
        for app in apps { _ = app.service(keyClaims) }
        let key = try #require(FileKey("a"))
        let inside = Inside()
        let app = apps[0].master.app
        let tasks = (0..<50).map { _ in
            Task {
                try await keyClaims.claiming(key, for: app) {
                    let count = inside.enter()
                    for _ in 0..<10 { await Task.yield() }
                    inside.leave()
                    return count
                }
            }
        }
        for task in tasks { #expect(try await task.value == 1) }
    }
}

/// How many are inside at the same time.
private final class Inside: Sendable {
    private let count = Mutex(0)

    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() {
        count.withLock { $0 -= 1 }
    }
}
