import Domain
import Foundation
import Storage
import Support
import Testing

@testable import Server

/// Everything that is wrong with the settings of one start is in one message.
@Suite struct SettingFaultTests {
    /// The lines of the refusal of a configuration file and an environment.
    private func faults(_ yaml: String, _ environment: [String: String] = [:]) async throws -> [String] {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.yaml"
            try yaml.write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: ExitError.self) {
                try ConfigurationLoader(environment: environment, file: path).load()
            }
            #expect(error?.exitCode == 78)
            let text = (error?.description ?? "").replacing(path, with: "FILE")
            #expect(!text.contains("a-secret-key"))
            return text.split(separator: "\n").map(String.init)
        }
    }

    @Test("faults of settings, of apps in the file and of settings that do not fit together")
    func file() async throws {
        let yaml = """
            prot: 1
            port: 9464
            storage: [a, b]
            mail:
              server: smtp://mail.example.org
              user: u
            images:
              threads: many
            apps:
              - id: a/b
                appKey: short
                masterKey: a-secret-key
                fileDomains: [files.example.com, b]
              - id: c
                colour: red
                appKey: a-secret-key
                styles: { a-b: imageInfo, a_c: nonsense, d: [x] }
              - id: d
                appKey: a-secret-key-1
                masterKey: a-secret-key-2
                verifyEmail: maybe
                styles: { card: nonsense }
            """
        let expected = [
            "20 settings cannot be used:", "  unknown setting 'prot' in FILE; did you mean port?",
            "  images.threads is 'many'; allowed: ", "  FILE:3: 'storage' must be one value, not a list; several",
            "  the app id 'a/b' must be ", "  the app key of app 'a/b' must be 8 to 256",
            "  fileDomains of app 'a/b' has 'files.example.com'; allowed: ",
        ]
        let lines = try await faults(yaml)
        for (line, beginning) in zip(lines, expected).dropFirst() { #expect(line.hasPrefix(beginning), "\(line)") }
        let further = [
            "fileDomains of app 'a/b' has 'b'", "unknown name 'colour' in apps", "the style 'a-b' must have a name",
            "the style 'd' must have a chain", "the master key of app 'c' is missing",
            "verifyEmail must be true or false",
            "metrics.port is 9464, the same as port", "mail.server needs mail.from",
            "mail.user and mail.password go together", "the style 'card' of app 'd' cannot be used",
        ]
        for sentence in further { #expect(lines.contains { $0.contains(sentence) }, "\(sentence)") }
        #expect(lines.count == expected.count + further.count)
        #expect(lines.first == "\(lines.count - 1) settings cannot be used:")
    }

    @Test("redirects to TLS do not go to a public URL without TLS")
    func redirects() async throws {
        let tls = "tls: { certificate: a.pem, key: b.pem, redirectPort: 8081 }"
        let lines = try await faults("publicURL: http://files.example.com\n\(tls)")
        #expect(lines == ["tls.redirectPort sends clients to publicURL, which must begin with https://"])
    }

    @Test("Java cannot get qcloud, because its SDK sends files in slices")
    func slices() async throws {
        let lines = try await faults("uploads:\n  providers: other=qcloud,java=qcloud")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("uploads.providers must not have java=qcloud") == true)
    }

    @Test("faults of the app of the environment stand beside those of settings")
    func environment() async throws {
        let environment = [
            "LCFILE_APP_ID": "a/b", "LCFILE_APP_KEY": "short", "LCFILE_MASTER_KEY_FILE": "/nowhere",
            "LCFILE_LOG_LEVEL": "loud",
        ]
        let lines = try await faults("uploads:\n  maxSize: big", environment)
        let expected = [
            "5 settings cannot be used:", "  uploads.maxSize is 'big'", "  log.level is 'loud'",
            "  LCFILE_MASTER_KEY_FILE: the file /nowhere cannot be read", "  the app id 'a/b' must be",
            "  the app key of app 'a/b' must be",
        ]
        #expect(lines.count == expected.count)
        for (line, beginning) in zip(lines, expected) { #expect(line.hasPrefix(beginning), "\(line)") }
    }

    @Test("a file that cannot be read hides no fault of the environment, and no other fault follows from it")
    func unreadable() async throws {
        let environment = ["LCFILE_LOG_LEVEL": "loud", "LCFILE_MAIL_SERVER": "smtp://mail.example.org"]
        let lines = try await faults("a: [", environment)
        let first = try #require(lines.first)
        #expect(first == "2 settings cannot be used:")
        #expect(lines[1].hasPrefix("  FILE is not valid YAML"))
        #expect(try #require(lines.last).hasPrefix("  log.level is 'loud'"))
    }

    @Test(
        "a message about YAML that cannot be parsed says where and what, and repeats nothing of the file",
        arguments: [
            ("apps:\n  - id: a\n    masterKey: a-secret-key: b", "line 3", ": mapping values are not allowed"),
            ("port: 1\nconsole: {key: \"a-secret-key", "line 2", ": found unexpected end of stream"),
            ("port: 1\n# a-secret-key\u{7}", "line 2, column 15", ": control characters are not allowed"),
            ("masterKey: *a-secret-key", "line 1", ": found undefined alias"),
            ("port: 1\nmail:\n  password: a-secret-key\nmail: {}", "line 2: 'mail'", " occurs more than once"),
            ("{masterKey a-secret-key, masterKey a-secret-key}", "line 1: a name", " occurs more than once"),
        ]
    )
    func malformed(yaml: String, location: String, problem: String) async throws {
        let lines = try await faults(yaml)
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.hasPrefix("FILE is not valid YAML: \(location)"), "\(line)")
        #expect(line.contains(problem), "\(line)")
    }

    @Test(
        "a refused address is repeated without what can be a secret",
        arguments: [
            ("censorship:\n  webhook: http//u:a-secret-key@x", "'…@x'"),
            ("censorship:\n  webhook: https://u:a-secret-key@x/y", "'https://…@x/…'"),
            ("censorship:\n  webhook: htps://hooks.example.com/a-secret-key", "'htps://hooks.example.com/…'"),
            ("censorship:\n  webhook: https://hooks.example.com?key=a-secret-key", "'https://hooks.example.com?…'"),
            ("mail:\n  server: u:a-secret-key@mail.example.org", "'…@mail.example.org'"),
            (
                "apps:\n  - {id: a, appKey: 12345678, masterKey: 123456789, fileDomains: ['u:a-secret-key@x/y']}",
                "'…@x/…'"
            ),
        ]
    )
    func addresses(yaml: String, value: String) async throws {
        let line = try #require(try await faults(yaml).first)
        #expect(line.contains(value), "\(line)")
    }

    @Test(
        "a setting that cannot be used causes no second fault",
        arguments: [
            ("mail:\n  server: smtp://mail.example.org\n  from: nobody", "mail.from is 'nobody'"),
            ("tls:\n  redirectPort: 8080\nport: none", "port is 'none'"),
            (
                "images:\n  maxResultSide: wide\napps:\n  - {id: a, appKey: 12345678, masterKey: 123456789,"
                    + " styles: {s: imageView2/2/w/12000}}", "images.maxResultSide is 'wide'"
            ),
        ]
    )
    func consequences(yaml: String, fault: String) async throws {
        let lines = try await faults(yaml)
        #expect(lines.contains { $0.contains(fault) })
        #expect(!lines.contains { $0.contains("needs mail.from") || $0.contains("the same") || $0.contains("style") })
    }

    @Test("two apps with one id are told even if one of them cannot be used")
    func sameID() async throws {
        let yaml = """
            apps:
              - {id: a, appKey: a-secret-key-1, masterKey: a-secret-key-2}
              - {id: a, appKey: short, masterKey: a-secret-key-2}
            """
        let lines = try await faults(yaml)
        #expect(lines.contains { $0.hasSuffix("two apps have the same id 'a'") })
        #expect(lines.contains { $0.contains("the app key of app 'a' must be") })
    }

    @Test(
        "a value for a group of settings is refused with two settings of the group",
        arguments: [
            (
                "uploads: 5", [:],
                "'uploads' in FILE is a group of settings and has no value; it has uploads.maxSize, "
                    + "uploads.maxNameLength and others"
            ),
            (
                "", ["LCFILE_HTTP2": "on"],
                "the environment variable LCFILE_HTTP2 is a group of settings and has no value; "
                    + "it has LCFILE_HTTP2_ENABLED, LCFILE_HTTP2_MAX_STREAMS and others"
            ),
        ] as [(String, [String: String], String)]
    )
    func groups(yaml: String, environment: [String: String], sentence: String) async throws {
        #expect(try await faults(yaml, environment) == [sentence])
    }

    @Test(
        "names that stand for the same setting are refused by name and place",
        arguments: [
            ("port: 1\nport.: 2", ["FILE:2: 'port.' is not the name of a setting: it has an empty part"]),
            (
                "'': 1\n..: 2",
                [
                    "  FILE:1: '' is not the name of a setting: it has an empty part",
                    "  FILE:2: '..' is not the name of a setting: it has an empty part",
                ]
            ),
            ("? [a, b]\n: 5", ["FILE:1: '' is not the name of a setting: it has an empty part"]),
            (
                "log.: {level: debug}\nlog: {level: info}",
                ["FILE:1: 'log.' is not the name of a setting: it has an empty part"]
            ),
            (
                "http.idleTimeout: 20\nhttp: {idleTimeout: 30}",
                ["FILE:2: 'http.idleTimeout' occurs more than once"]
            ),
            ("http: {idleTimeout: 30}\nhttp.idleTimeout:", ["FILE:2: 'http.idleTimeout' occurs more than once"]),
        ]
    )
    func sameSetting(yaml: String, sentences: [String]) async throws {
        let lines = try await faults(yaml)
        #expect(lines.suffix(sentences.count) == sentences[...])
        #expect(lines.count == (sentences.count == 1 ? 1 : sentences.count + 1))
    }

    @Test(
        "a suggestion is similar behind the beginning that all variables have",
        arguments: [
            ("LCFILE_PRT", "did you mean LCFILE_PORT?"), ("LCFILE_TEA", "docs/configuration.md lists all"),
            ("LCFILE_XYZ", "docs/configuration.md lists all"),
        ]
    )
    func variables(name: String, hint: String) async throws {
        #expect(try await faults("", [name: "1"]) == ["unknown environment variable \(name); \(hint)"])
    }
}
