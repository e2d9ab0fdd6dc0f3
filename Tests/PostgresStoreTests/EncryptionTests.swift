import Domain
import Foundation
import Testing

@testable import PostgresStore

/// A server of its own that encrypts, with a certificate for `localhost` of an authority that only the test knows.
@Suite struct EncryptionTests {
    @Test("sslmode=verify-full connects to the right server only")
    func verification() throws {
        let folder = "/tmp/lcfile-postgres-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer {
            _ = try? Engine.script("stop", folder: folder)
            try? FileManager.default.removeItem(atPath: folder)
        }
        try certify("ca", in: folder)
        try certify("other", in: folder)
        let authority = "-CA \(folder)/ca.crt -CAkey \(folder)/ca.key"
        try certify("server", in: folder, "\(authority) -addext subjectAltName=DNS:localhost")
        let options = "-c ssl=on -c ssl_cert_file=\(folder)/server.crt -c ssl_key_file=\(folder)/server.key"
        let plain = try #require(URL(string: try Engine.script("start", folder: folder, options: options)))
        let port = try #require(plain.port)

        func facts(host: String = "localhost", authority: String = "ca") throws -> PostgresFacts {
            let name = "postgres://postgres@\(host):\(port)/postgres?hostaddr=127.0.0.1"
            return try PostgresFacts(
                reading: PostgresAddress(url: "\(name)&sslmode=verify-full&sslrootcert=\(folder)/\(authority).crt")
            )
        }

        #expect(try facts().isEncrypted)
        let otherName = #expect(throws: OpenFailure.self) { try facts(host: "db.example") }
        #expect(otherName?.message.contains("does not match host name") == true)
        let otherAuthority = #expect(throws: OpenFailure.self) { try facts(authority: "other") }
        #expect(otherAuthority?.message.contains("certificate verify failed") == true)
        #expect(throws: OpenFailure.self) { try facts(authority: "missing") }
        // The objects of an app, with all connections of a store.
        let url = "postgres://postgres@localhost:\(port)/postgres?hostaddr=127.0.0.1&sslmode=verify-full"
        let address = PostgresAddress(url: "\(url)&sslrootcert=\(folder)/ca.crt", applicationName: "encrypted")
        let connection = try PostgresConnection(address)
        try SchemaMigration.run(connection, schema: address.schema)
        let isEncrypted = try connection.run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(isEncrypted.boolean(0, 0))
    }

    @Test("a server without encryption is refused if the address demands it")
    func unencrypted() async throws {
        try await Engine.withAddress { address in
            let separator = address.url.contains("?") ? "&" : "?"
            let demanding = PostgresAddress(url: "\(address.url)\(separator)sslmode=require", schema: address.schema)
            let failure = #expect(throws: OpenFailure.self) { try PostgresFacts(reading: demanding) }
            #expect(failure?.message.contains("SSL") == true)
        }
    }

    /// Makes a key and a certificate, which PostgreSQL's user can read.
    private func certify(_ name: String, in folder: String, _ options: String = "") throws {
        let key = "\(folder)/\(name).key"
        try Engine.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) \
            -keyout \(key) -out \(folder)/\(name).crt \(options) 2>/dev/null \
            && chmod 600 \(key) && { [ "$(id -u)" -ne 0 ] || chown postgres \(key); }
            """
        )
    }
}
