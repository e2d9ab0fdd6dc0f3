import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// The PostgreSQL server of the tests, which the first test starts and the end of the process stops.
enum Engine {
    /// Its address; the tests fail if it cannot be started.
    static let url: String = {
        if let url = ProcessInfo.processInfo.environment["LCFILE_TEST_POSTGRES"] { return url }
        atexit { _ = try? Engine.script("stop", folder: Engine.folder) }
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
    /// Below the system's folder for temporary files, which the server's user can reach.
    private static let folder = "/tmp/lcfile-postgres-\(getuid())"

    /// Runs `scripts/postgres`, and returns what it prints.
    @discardableResult
    static func script(_ command: String, folder: String) throws -> String {
        let path = root.appending(path: "scripts/postgres").path
        guard let output = popen("'\(path)' \(command) '\(folder)'", "re") else { throw Failed(status: errno) }
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
        let address = PostgresAddress(url: url, schema: "test_\(RandomString.lowercase(12))")
        let result = await Result { try await body(address) }
        let connection = try PostgresConnection(address)
        try connection.run(SQL(text: "DROP SCHEMA IF EXISTS \(address.schema.quotedName) CASCADE"))
        try result.get()
    }

    /// Runs a body with a new store.
    static func withStore(_ body: (PostgresObjectStore) async throws -> Void) async throws {
        try await withStores(1) { try await body($0[0]) }
    }

    /// Runs a body with several stores of the same objects, as on as many servers.
    static func withStores(_ count: Int, _ body: ([PostgresObjectStore]) async throws -> Void) async throws {
        try await withAddress { address in
            var stores: [PostgresObjectStore] = []
            for _ in 0..<count { stores.append(try PostgresObjectStore(address, readers: 2, lookups: 2)) }
            try await stores[0].prepare()
            let result = await Result { [stores] in try await body(stores) }
            for store in stores { try await store.close() }
            try result.get()
        }
    }
}

extension Result where Failure == any Error {
    /// Catches the error of an asynchronous body.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
