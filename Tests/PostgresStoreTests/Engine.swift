import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// The PostgreSQL server of the tests, which the first test starts and the end of the last process that uses it stops.
enum Engine {
    /// Its address; the tests fail if it cannot be started.
    static let url: String = {
        if let url = ProcessInfo.processInfo.environment["LCFILE_TEST_POSTGRES"] {
            atexit { Engine.dropSpare() }
            return url
        }
        atexit {
            Engine.dropSpare()
            // Fails while other test processes of the user have their lock.
            if flock(Engine.lock, LOCK_EX | LOCK_NB) == 0 {
                _ = try? Engine.script("stop", folder: Engine.folder)
            }
        }
        flock(lock, LOCK_SH)
        do {
            return try script("start", folder: folder)
        } catch {
            Issue.record(error, "PostgreSQL did not start")
            return ""
        }
    }()

    /// Lets few tests run at a time, because the server has a limit of connections.
    private static let turns = FairPermits<Int>(8)
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// A file that each process locks which uses the server.
    private static let lock = open("\(folder).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    /// Below the system's folder for temporary files, which the server's user can reach.
    private static let folder = "/tmp/lcfile-postgres-\(getuid())"

    /// Runs `scripts/postgres`, and returns what it prints.
    @discardableResult
    static func script(_ command: String, folder: String, options: String = "") throws -> String {
        let path = root.appending(path: "scripts/postgres").path
        return try shell("POSTGRES_OPTIONS='\(options)' '\(path)' \(command) '\(folder)'")
    }

    /// Runs a command of the shell, and returns what it prints.
    @discardableResult
    static func shell(_ command: String) throws -> String {
        guard let output = popen(command, "re") else { throw Failed(status: errno) }
        var text = ""
        var buffer = [CChar](repeating: 0, count: 1024)
        while fgets(&buffer, CInt(buffer.count), output) != nil {
            text += String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let status = pclose(output)
        guard status == 0 else { throw Failed(status: status) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private struct Failed: Error {
        let status: Int32
    }

    /// Runs a body with the address of a schema that does not exist yet, and drops it afterwards.
    static func withAddress(_ body: (PostgresAddress) async throws -> Void) async throws {
        try await turns.take(for: 0)
        defer { turns.giveBack() }
        let address = newAddress()
        let result = await Result { try await body(address) }
        try PreparedSchema.drop(address)
        try result.get()
    }

    /// Runs a body with a store without objects.
    static func withStore(_ body: (PostgresObjectStore) async throws -> Void) async throws {
        try await withStores(1) { try await body($0[0]) }
    }

    /// Runs a body with several stores of the same objects, as on as many servers.
    static func withStores(_ count: Int, _ body: ([PostgresObjectStore]) async throws -> Void) async throws {
        try await turns.take(for: 0)
        defer { turns.giveBack() }
        let left = spare.withLock { $0.popLast() }
        let schema = if let left { left } else { try await newSchema() }
        do {
            try await use(schema.address, count, body)
            guard try schema.clear() else { return try schema.drop() }
            spare.withLock { $0.append(schema) }
        } catch {
            try? schema.drop()
            throw error
        }
    }

    /// Schemas of tests that are over; dropped with the end of the process.
    private static let spare = Mutex<[PreparedSchema]>([])

    private static func dropSpare() {
        for schema in spare.withLock(\.self) { try? schema.drop() }
    }

    private static func newAddress() -> PostgresAddress {
        PostgresAddress(url: url, schema: "test_\(RandomString.lowercase(12))")
    }

    private static func newSchema() async throws -> PreparedSchema {
        let address = newAddress()
        try await use(address, 1) { _ in }
        return try PreparedSchema(of: address)
    }

    private static func use(
        _ address: PostgresAddress,
        _ count: Int,
        _ body: ([PostgresObjectStore]) async throws -> Void
    ) async throws {
        var stores: [PostgresObjectStore] = []
        for _ in 0..<count { stores.append(try PostgresObjectStore(address, readers: 2, lookups: 2)) }
        try await stores[0].prepare()
        let result = await Result { [stores] in try await body(stores) }
        for store in stores { try await store.close() }
        try result.get()
    }
}

extension Result where Failure == any Error {
    /// Catches the error of an asynchronous body.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
