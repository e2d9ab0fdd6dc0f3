import Domain
import Foundation
import HTTPAPI
import Storage
import Support
import Testing

@testable import Server

@Suite struct ConfigurationTests {
    private func load(
        flags: [String: String] = [:],
        environment: [String: String] = [:],
        yaml: String? = nil
    ) async throws -> ServerConfiguration {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.yaml"
            try yaml?.write(toFile: path, atomically: true, encoding: .utf8)
            return try ConfigurationLoader(flags: flags, environment: environment, file: yaml == nil ? nil : path)
                .load()
        }
    }

    private func refusal(
        flags: [String: String] = [:],
        environment: [String: String] = [:],
        yaml: String? = nil
    ) async throws -> String {
        let error = await #expect(throws: ExitError.self) {
            try await load(flags: flags, environment: environment, yaml: yaml)
        }
        #expect(error?.exitCode == 78)
        return error?.description ?? ""
    }

    private func settingNames() -> [String] {
        var reader = SettingReader()
        var configuration = ServerConfiguration()
        configuration.read(&reader)
        return reader.names
    }

    @Test("flags win over environment, environment over file, file over defaults")
    func precedence() async throws {
        let yaml = "host: file.example\nport: 1\nstorage: file"
        let environment = ["LCFILE_PORT": "2", "LCFILE_STORAGE": "environment", "PATH": "/bin"]
        let configuration = try await load(flags: ["storage": "flag"], environment: environment, yaml: yaml)
        #expect(configuration.host == "file.example")
        #expect(configuration.port == 2)
        #expect(configuration.storage == "flag")
        #expect(configuration.metrics.port == 9464)
    }

    @Test("an empty variable counts as not set: it does not hide the value of the file")
    func emptyVariables() async throws {
        var environment: [String: String] = [:]
        for name in settingNames() { environment[ConfigurationLoader.environmentVariable(of: name)] = "" }
        let yaml = "storage: file\npublicURL: https://files.example.com\nfiles: {access: private}\nlog: {format: json}"
        let configuration = try await load(environment: environment, yaml: yaml)
        #expect(configuration.storage == "file")
        #expect(configuration.publicURL == "https://files.example.com")
        #expect(configuration.privacy.access == .private)
        #expect(configuration.logFormat == .json)
        #expect(try await refusal(environment: ["LCFILE_PROT": ""]).contains("LCFILE_PROT"))
    }

    @Test("the limits of connections exempt the whole 64-bit network of an IPv6 address, and trusted proxies alone")
    func networksWithoutConnectionLimit() async throws {
        let settings = ["LCFILE_LIMITS_EXEMPT": "2001:db8::5, 192.0.2.1", "LCFILE_HTTP_PROXIES": "2001:db8:1::5"]
        let networks = try await load(environment: settings).networksWithoutConnectionLimit
        func isExempt(_ text: String) throws -> Bool {
            let address = try #require(IPAddress(text))
            return networks.contains { $0.contains(address) }
        }
        for address in ["2001:db8::5", "2001:db8::ffff:1", "192.0.2.1", "2001:db8:1::5"] {
            #expect(try isExempt(address), "\(address)")
        }
        for address in ["2001:db8:0:1::5", "192.0.2.2", "2001:db8:1::6"] {
            #expect(try !isExempt(address), "\(address)")
        }
    }

    @Test("the shipped file names every setting, each with its default")
    func shippedFile() async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config/lcfile.yaml").path
        let file = try ConfigurationFile(path: path)
        let names = settingNames()
        let documented = try String(contentsOfFile: path, encoding: .utf8)
        #expect(Set(file.settings.keys).isSubset(of: names))
        for name in names where file.settings[name] == nil {
            let parts = name.split(separator: ".")
            let line = String(repeating: "  ", count: parts.count - 1) + (parts.last ?? "")
            #expect(
                documented.contains("\n\(line):\n") || name == "publicURL",
                "\(name) is missing in config/lcfile.yaml"
            )
        }
        #expect(documented.contains("publicURL:"))
        let loaded = try ConfigurationLoader(file: path).load()
        var defaults = ServerConfiguration()
        // A configuration that was not read lists no settings.
        defaults.settingsInForce = try ConfigurationLoader().load().settingsInForce
        #expect(String(reflecting: loaded) == String(reflecting: defaults))
    }

    @Test("the guide names every setting and its environment variable")
    func guide() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configuration.md")
            .path
        let guide = try String(contentsOfFile: path, encoding: .utf8)
        let names = settingNames()
        for name in names {
            #expect(guide.contains("`\(name)`"), "\(name) is missing in docs/configuration.md")
            #expect(guide.contains("`\(ConfigurationLoader.environmentVariable(of: name))`"), "variable of \(name)")
        }
    }

    @Test("every setting is reached by its environment variable")
    func everyVariable() async throws {
        let names = settingNames()
        let texts = [
            "host", "storage", "metrics.host", "uploads.typeTable", "censorship.model", "censorship.classifier",
            "mail.user", "mail.caFile", "mail.templates", "sms.appName", "sms.sign", "sms.templates",
            "sms.webhookExpects", "backup.s3.region", "backup.target", "blobs.s3.region",
        ]
        // One of these alone is refused.
        let pair = ["tls.certificate", "tls.key"]
        // AWS, which is the default, needs a role beside it.
        let tokens = ["backup.s3.webIdentityTokenFile", "blobs.s3.webIdentityTokenFile"]
        // A secret is never printed, not even in a refusal.
        let secret = "censorship.webhookSecret"
        let keys = "files.signingKeys"
        let others = [
            "mail.password", "sms.fixedNumbers", "sms.webhook", "sms.webhookHeaders", "sms.webhookBody",
            "sms.webhookSecret", "backup.s3.accessKey", "backup.s3.secretKey", "backup.s3.sessionToken", "database.url",
            "blobs.s3.accessKey", "blobs.s3.secretKey", "blobs.s3.sessionToken", "blobs.encryption.keys",
        ]
        let secrets = ([secret, keys] + others).flatMap { [$0, "\($0)File"] }
        for name in names where !(texts + pair + tokens + secrets).contains(name) {
            let variable = ConfigurationLoader.environmentVariable(of: name)
            let sentence = try await refusal(environment: [variable: "!"])
            #expect(sentence.hasPrefix("\(name) is '!'; allowed: "), "\(variable): \(sentence)")
        }
        for name in texts {
            let variable = ConfigurationLoader.environmentVariable(of: name)
            var loaded = try await load(environment: [variable: "changed"])
            loaded.changes = []
            #expect(String(reflecting: loaded).contains("\"changed\""), "\(variable)")
        }
        let paths = pair.map { (ConfigurationLoader.environmentVariable(of: $0), "/\($0)") }
        let files = try await load(environment: Dictionary(uniqueKeysWithValues: paths)).tls
        #expect([files.certificate, files.key] == ["/tls.certificate", "/tls.key"])
        for name in tokens {
            let variable = ConfigurationLoader.environmentVariable(of: name)
            let sentence = try await refusal(environment: [variable: "/token"])
            #expect(sentence.hasPrefix("\(name) needs "))
        }
        let loaded = try await load(environment: [ConfigurationLoader.environmentVariable(of: secret): "changed"])
        #expect(loaded.censorship.secret.matches("changed"))
        #expect(!String(reflecting: loaded).contains("changed"))
        for file in [secrets[1], secrets[3]] {
            let sentence = try await refusal(environment: [ConfigurationLoader.environmentVariable(of: file): "/!"])
            #expect(sentence.hasPrefix("\(file): the file /! cannot be read"))
        }
        let sentence = try await refusal(environment: [ConfigurationLoader.environmentVariable(of: keys): "too short"])
        #expect(sentence.hasPrefix("\(keys) must be up to 8 keys") && !sentence.contains("too short"))
    }

    @Test(
        "blanks around keys of signed URLs are dropped, and a key with a blank in it is refused",
        arguments: [
            ("  the-first-long-key , the-other-long-key", ["the-first-long-key", "the-other-long-key"]),
            ("the first long key", nil), ("the-first-long-key,", nil), ("short", nil),
        ] as [(String, [String]?)]
    )
    func signingKeys(text: String, keys: [String]?) {
        let read = ServerConfiguration.PrivacySettings.keys(text)
        #expect(read?.map(\.revealed) == keys)
    }

    @Test("settings that differ from their defaults are known, without secrets and paths of URLs")
    func changes() async throws {
        let yaml = """
            port: 8080
            storage: elsewhere
            publicURL: https://files.example.com/a/b
            tls:
              certificate: /c
              key: /k
            http:
              compression: false
              proxies: 127.0.0.1, 10.0.0.0/8
            uploads:
              maxSize: 5GB
              quota: 1GB
            censorship:
              webhook: https://hooks.example.com/T0/secret
              webhookSecret: hidden-secret-of-28-letters
            log:
              level: debug
            """
        let loaded = try await load(flags: ["host": "::1"], environment: ["LCFILE_DISK_RESERVE": "32MB"], yaml: yaml)
        let expected = [
            "host=::1", "publicURL=https://files.example.com/…", "tls.certificate=/c", "tls.key=/k",
            "storage=elsewhere", "http.compression=false", "http.proxies=127.0.0.1, 10.0.0.0/8",
            "uploads.quota=1GB", "censorship.webhook=https://hooks.example.com/…",
            "censorship.webhookSecret=(set)", "log.level=debug",
        ]
        #expect(loaded.changes.map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test("file URLs begin with https if connections are encrypted")
    func encryptedURL() async throws {
        let loaded = try await load(environment: ["LCFILE_TLS_CERTIFICATE": "/c", "LCFILE_TLS_KEY": "/k"])
        #expect(loaded.fileURLBase == "https://127.0.0.1:8080")
    }

    @Test("a certificate without a key is refused, and a key without a certificate", arguments: ["CERTIFICATE", "KEY"])
    func halfOfTLS(name: String) async throws {
        let sentence = try await refusal(environment: ["LCFILE_TLS_\(name)": "/file"])
        #expect(sentence == "tls.certificate and tls.key go together; set both or none")
    }

    @Test(
        "bad values are refused with name, value and what is allowed",
        arguments: [
            ("port: -1", "port is '-1'; allowed: a whole number from 0 to 65535"),
            ("port: many", "port is 'many'"), ("port: 1.5", "port is '1.5'"),
            ("uploads:\n  maxSize: 5XB", "uploads.maxSize is '5XB'; allowed: a size such as"),
            ("uploads:\n  maxSize: -1", "uploads.maxSize is '-1'"),
            ("uploads:\n  maxSize: 0", "uploads.maxSize is '0'"),
            ("uploads:\n  maxSize: 9999999999TB", "uploads.maxSize"),
            ("metrics:\n  enabled: maybe", "metrics.enabled is 'maybe'; allowed: true or false"),
            ("log:\n  level: loud", "log.level is 'loud'; allowed: trace, debug"),
            ("log:\n  format: xml", "log.format is 'xml'; allowed: auto, text, json"),
            ("publicURL: files.example.com", "publicURL is 'files.example.com'; allowed: an address such as https://"),
            ("publicURL: https://a?b", "publicURL"), ("publicURL: 'https://a b'", "publicURL"),
            ("port: 9464", "metrics.port is 9464"), ("port: [1, 2]", "must be one value"),
            ("- a", "must contain settings"),
            ("a: b: c", "not valid YAML"), ("prot: 1", "unknown setting 'prot'"), ("prot: 1", "; did you mean port?"),
            ("http:\n  idleTimout: 3", "unknown setting 'http.idleTimout'"),
            ("http:\n  idleTimout: 3", "; did you mean http.idleTimeout?"),
            ("http:\n  tea: 3", "; docs/configuration.md lists all"),
            ("apps: yes", "must be a list"), ("apps:\n  - id: a\n    secret: b", "unknown name 'secret'"),
            ("apps:\n  - id: a/b\n    appKey: 12345678\n    masterKey: 123456789", "'a/b'"),
            ("apps:\n  - id: a\n    appKey: 12345678", "the master key of app 'a' is missing"),
            ("apps:\n  - id: a\n    appKey: short\n    masterKey: 123456789", "app key of app 'a'"),
            ("apps:\n  - id: a\n    appKey: 123456789\n    masterKey: 123456789", "must differ"),
            (
                "apps:\n  - {id: a, appKey: 12345678, masterKey: 123456789}\n  - {id: a, appKey: 12345678, masterKey: 123456789}",
                "same id"
            ),
        ]
    )
    func refused(yaml: String, sentence: String) async throws {
        let said = try await refusal(yaml: yaml)
        #expect(said.contains(sentence), "\(said)")
        #expect(!said.contains("123456789"))
    }

    @Test("all faulty settings are told at once")
    func severalFaults() async throws {
        let sentence = try await refusal(
            environment: ["LCFILE_HTTP_IDLE_TIMEOT": "1", "LCFILE_LOG_LEVEL": "loud"],
            yaml: "prot: 1\nuploads:\n  maxSize: big"
        )
        let lines = sentence.split(separator: "\n")
        #expect(lines.first == "4 settings cannot be used:")
        let beginnings = [
            "  unknown setting 'prot' in ", "  unknown environment variable LCFILE_HTTP_IDLE_TIMEOT; did you mean",
            "  uploads.maxSize is 'big'; allowed: ", "  log.level is 'loud'; allowed: ",
        ]
        #expect(lines.count == 5)
        for (line, beginning) in zip(lines.dropFirst(), beginnings) { #expect(line.hasPrefix(beginning)) }
    }

    @Test("an unknown variable of ours is refused, those of others are not")
    func unknownVariable() async throws {
        #expect(try await refusal(environment: ["LCFILE_PROT": "1"]).contains("LCFILE_PROT"))
        _ = try await load(environment: ["PORT": "x", "LCFILES": "y"])
    }

    @Test("an app in the environment takes the place of those in the file, and needs an id and both keys")
    func environmentApp() async throws {
        let yaml = "apps:\n  - {id: file, appKey: 12345678, masterKey: 123456789}"
        let whole = ["LCFILE_APP_ID": "env", "LCFILE_APP_KEY": "12345678", "LCFILE_MASTER_KEY": "abcdefgh"]
        #expect(try await load(environment: whole, yaml: yaml).apps.map(\.id.description) == ["env"])
        #expect(try await load(yaml: yaml).apps.map(\.id.description) == ["file"])
        let part = try await load(environment: ["LCFILE_APP_ID": "env"], yaml: yaml)
        #expect(part.apps.map(\.id.description) == ["file"])
        #expect(part.warnings.count == 1 && part.warnings[0].contains("LCFILE_APP_ID without LCFILE_APP_KEY"))
    }

    @Test(
        "sizes have units of 1024",
        arguments: [("1024", 1024), ("512KB", 524_288), ("20 MB", 20_971_520), ("5gb", 5_368_709_120)]
    )
    func sizes(text: String, bytes: Int64) async throws {
        #expect(try await load(yaml: "uploads:\n  maxSize: \(text)").uploads.fileSize == bytes)
    }

    @Test(
        "no size is so large that a multiple of it overflows",
        arguments: [("queries.maxReplySize", "1024TB"), ("uploads.quota", "1024TB"), ("log.buffer", "1TB")]
    )
    func largestSizes(name: String, largest: String) async throws {
        let variable = ConfigurationLoader.environmentVariable(of: name)
        #expect(try await load(environment: [variable: largest]).changes.map(\.value) == [largest])
        let sentence = try await refusal(environment: [variable: "1025TB"])
        #expect(sentence == "\(name) is '1025TB'; allowed: a size such as 512KB, 20MB or 5GB, \(largest) at most")
    }

    @Test(
        "file URLs begin with the public address, or with where the server listens",
        arguments: [
            ("publicURL: https://files.example.com/", "https://files.example.com"),
            ("host: 127.0.0.1", "http://127.0.0.1:8080"), ("host: 0.0.0.0", "http://localhost:8080"),
            ("host: '::1'", "http://[::1]:8080"),
        ]
    )
    func fileURLBase(yaml: String, base: String) async throws {
        #expect(try await load(yaml: yaml).fileURLBase == base)
    }

    @Test("a configuration file that is not there is refused")
    func missingFile() {
        #expect(throws: ExitError.self) { try ConfigurationLoader(file: "/nonexistent/lcfile.yaml").load() }
    }

    @Test("mirror.origin is for one app; several have their own")
    func mirrorOrigin() throws {
        var configuration = ServerConfiguration()
        configuration.mirror.origin = "https://old.example.com"
        configuration.apps = [try AppConfiguration(id: "a", appKey: "12345678", masterKey: "123456789")]
        try configuration.validate()
        #expect(configuration.mirrorThreads == 8)
        configuration.apps.append(try AppConfiguration(id: "b", appKey: "12345678", masterKey: "123456789"))
        let error = #expect(throws: ExitError.self) { try configuration.validate() }
        #expect(error?.description.contains("mirrorOrigin") == true)
        configuration.mirror.origin = nil
        try configuration.validate()
        #expect(configuration.mirrorThreads == 0)
    }
}
