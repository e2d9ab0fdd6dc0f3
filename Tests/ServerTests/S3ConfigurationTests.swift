import Console
import Domain
import S3
import Storage
import Testing

@testable import Server

@Suite("Settings of S3 stores")
struct S3ConfigurationTests {
    private func load(_ environment: [String: String]) throws -> ServerConfiguration {
        try ConfigurationLoader(environment: environment).load()
    }

    private let location = S3Location("s3://bucket/a/b")

    @Test("keys and region come from AWS's variables if no setting has them")
    func takesVariablesOfAWS() throws {
        let s3 = try load([
            "AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
            "AWS_REGION": "eu-west-1",
        ]).s3
        #expect(s3.accessKey.revealed == "access" && s3.secretKey.revealed == "secret")
        #expect(s3.sessionToken.revealed == "token" && s3.region == "eu-west-1")
        #expect(try s3.target(at: #require(location)).description == "s3://bucket/a/b")
    }

    @Test("settings take precedence, and keys of two sources are not mixed")
    func prefersSettings() throws {
        let s3 = try load([
            "LCFILE_BACKUP_S3_ACCESS_KEY": "own", "LCFILE_BACKUP_S3_SECRET_KEY": "own-secret",
            "LCFILE_BACKUP_S3_REGION": "eu-west-2", "AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_SESSION_TOKEN": "token", "AWS_REGION": "eu-west-1",
        ]).s3
        #expect(s3.accessKey.revealed == "own" && s3.secretKey.revealed == "own-secret")
        #expect(s3.sessionToken.revealed.isEmpty && s3.region == "eu-west-2")
    }

    @Test("half of a key is refused, and no message has it")
    func refusesHalves() {
        let error = #expect(throws: ExitError.self) { try load(["LCFILE_BACKUP_S3_ACCESS_KEY": "half-of-it"]) }
        #expect(error?.description.contains("backup.s3.secretKey") == true)
        #expect(error?.description.contains("half-of-it") == false)
    }

    @Test("a target without keys, and a bucket that is none, name what is missing")
    func refusesTargets() throws {
        let location = try #require(location)
        let missing = #expect(throws: ExitError.self) { try load([:]).s3.target(at: location) }
        #expect(missing?.exitCode == 78 && missing?.description.contains("backup.s3.accessKey") == true)
        let keys = ["AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret"]
        let short = try #require(S3Location("s3://b"))
        let unusable = #expect(throws: ExitError.self) { try load(keys).s3.target(at: short) }
        #expect(unusable?.description.contains("'b'") == true)
    }

    @Test(
        "a bucket for continuous backups that can never be reached is refused at start",
        arguments: [
            ("s3://", "backup.target is 's3://'; allowed: a folder, or a bucket"),
            ("s3://bucket", "backup.target: s3://bucket needs keys: set backup.s3.accessKey"),
        ]
    )
    func refusesContinuousBackups(target: String, sentence: String) {
        let error = #expect(throws: ExitError.self) { try load(["LCFILE_BACKUP_TARGET": target]) }
        #expect(error?.exitCode == 78 && error?.description.contains(sentence) == true)
    }

    @Test("commands need no keys of the continuous backup, and are told that a server does not start without them")
    func commandsWithoutKeys() throws {
        var environment = ["LCFILE_BACKUP_TARGET": "s3://bucket"]
        let configuration = try ConfigurationLoader(environment: environment).load(for: .storage)
        #expect(configuration.startRefusals.count == 1 && configuration.startRefusals[0].contains("needs keys"))
        environment["AWS_ACCESS_KEY_ID"] = "access"
        environment["AWS_SECRET_ACCESS_KEY"] = "secret"
        #expect(try load(environment).startRefusals.isEmpty)
    }

    @Test("the keys are not among the settings that the log shows")
    func hidesKeys() throws {
        let changes = try load(["LCFILE_BACKUP_S3_ACCESS_KEY": "own", "LCFILE_BACKUP_S3_SECRET_KEY": "hidden"]).changes
        #expect(changes.contains { $0.name == "backup.s3.secretKey" })
        #expect(!"\(changes)".contains("hidden") && changes.allSatisfy { $0.value == "(set)" })
    }

    @Test("the store of blobs has settings of its own")
    func blobs() throws {
        let configuration = try load([
            "LCFILE_BLOBS_STORE": "s3://files/lcfile", "LCFILE_BLOBS_S3_ACCESS_KEY": "own",
            "LCFILE_BLOBS_S3_SECRET_KEY": "own-secret", "LCFILE_BACKUP_S3_ACCESS_KEY": "other",
            "LCFILE_BACKUP_S3_SECRET_KEY": "other-secret", "AWS_REGION": "eu-west-1",
        ])
        #expect(configuration.blobs.store == S3Location("s3://files/lcfile"))
        #expect(configuration.blobs.s3.accessKey.revealed == "own" && configuration.s3.accessKey.revealed == "other")
        #expect(configuration.blobs.s3.region == "eu-west-1")
        let missing = #expect(throws: ExitError.self) {
            try load([:]).blobs.s3.client(for: try #require(S3Location("s3://files")))
        }
        #expect(missing?.description.contains("blobs.s3.accessKey") == true)
    }

    @Test(
        "what does not fit to blobs in a bucket is refused",
        arguments: [
            (["LCFILE_BLOBS_S3_ACCESS_KEY": "half"], "blobs.s3.secretKey"),
            (["LCFILE_BLOBS_STORE": "s3://files", "LCFILE_BACKUP_TARGET": "/backups"], "backup.target"),
            (["LCFILE_BLOBS_STORE": "s3://files", "LCFILE_DATABASE_URL": "postgres://host/name"], "set apps"),
            (["LCFILE_BLOBS_STORE": "/folder"], "s3://files/lcfile"),
            (["LCFILE_BLOBS_S3_ENCRYPTION": "SSE-C"], "bucket, AES256, aws:kms"),
            (["LCFILE_BLOBS_S3_ENCRYPTION_KEY": "alias/files"], "blobs.s3.encryptionKey needs blobs.s3.encryption"),
            (
                ["LCFILE_BACKUP_S3_ENCRYPTION": "AES256", "LCFILE_BACKUP_S3_ENCRYPTION_KEY": "alias/files"],
                "backup.s3.encryptionKey"
            ),
            (["LCFILE_DOWNLOADS_REDIRECTS": "all"], "blobs.store"),
        ]
    )
    func conflicts(environment: [String: String], word: String) {
        let error = #expect(throws: ExitError.self) { try load(environment) }
        #expect(error?.description.contains(word) == true)
    }

    @Test("commands use a shared database and bucket without apps, and are told that a server does not start")
    func commandsWithoutApps() throws {
        let environment = ["LCFILE_BLOBS_STORE": "s3://files", "LCFILE_DATABASE_URL": "postgres://host/name"]
        let configuration = try ConfigurationLoader(environment: environment).load(for: .storage)
        #expect(configuration.startRefusals.count == 1 && configuration.startRefusals[0].contains("set apps"))
        #expect(try load(["LCFILE_BLOBS_STORE": "s3://files"]).startRefusals.isEmpty)
    }

    @Test("URLs for clients have the public endpoint, otherwise that of the server")
    func publicEndpoint() throws {
        let location = try #require(S3Location("s3://files"))
        var environment = [
            "LCFILE_BLOBS_STORE": "s3://files", "LCFILE_BLOBS_S3_ENDPOINT": "http://10.0.0.5:8333",
            "LCFILE_BLOBS_S3_ACCESS_KEY": "id", "LCFILE_BLOBS_S3_SECRET_KEY": "key",
        ]
        func origin() throws -> String {
            let blobs = try load(environment).blobs
            return try blobs.s3.signer(for: location, at: blobs.publicEndpoint).origin
        }
        #expect(try origin() == "http://10.0.0.5:8333")
        environment["LCFILE_BLOBS_S3_PUBLIC_ENDPOINT"] = "https://files.example.com/"
        #expect(try origin() == "https://files.example.com")
        environment["LCFILE_BLOBS_S3_PUBLIC_ENDPOINT"] = "https://files.example.com/a/path"
        let error = #expect(throws: ExitError.self) { try origin() }
        #expect(error?.description.contains("https://files.example.com/a/path") == true)
    }

    @Test("the console shows files of the store only if downloads are redirected there")
    func consoleOrigins() throws {
        let app = ["LCFILE_APP_ID": "app", "LCFILE_APP_KEY": "app-key-1", "LCFILE_MASTER_KEY": "master-key-1"]
        let bucket = [
            "LCFILE_BLOBS_STORE": "s3://files", "LCFILE_BLOBS_S3_PUBLIC_ENDPOINT": "https://files.example.com",
            "LCFILE_BLOBS_S3_ACCESS_KEY": "id", "LCFILE_BLOBS_S3_SECRET_KEY": "key",
        ]
        func origins(_ redirects: String) throws -> [String] {
            let settings = app.merging(bucket) { $1 }.merging(["LCFILE_DOWNLOADS_REDIRECTS": redirects]) { $1 }
            let configuration = try load(settings)
            return configuration.consoleOptions(for: configuration.apps).fileOrigins
        }
        #expect(try !origins("off").contains("https://files.example.com"))
        #expect(try origins("public").contains("https://files.example.com"))
    }

    @Test("new objects are encrypted as the bucket has set, with keys of the store, or with a key of a key service")
    func encryption() throws {
        #expect(try load([:]).blobs.s3.encryption == .bucket)
        #expect(try load(["LCFILE_BACKUP_S3_ENCRYPTION": "AES256"]).s3.encryption == .managed)
        let key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab"
        let s3 = try load(["LCFILE_BLOBS_S3_ENCRYPTION": "aws:kms", "LCFILE_BLOBS_S3_ENCRYPTION_KEY": key]).blobs.s3
        #expect(s3.encryption == .keyService && s3.encryptionKey == key)
    }

    @Test("with configured apps, several servers can share a database and a bucket")
    func sharedApps() throws {
        let app = ["LCFILE_APP_ID": "app", "LCFILE_APP_KEY": "app-key-1", "LCFILE_MASTER_KEY": "master-key-1"]
        let shared = ["LCFILE_BLOBS_STORE": "s3://files", "LCFILE_DATABASE_URL": "postgres://host/name"]
        #expect(try load(app.merging(shared) { first, _ in first }).apps.count == 1)
    }

    @Test("threads of the store need descriptors only with a bucket")
    func descriptors() throws {
        var configuration = ServerConfiguration()
        configuration.http.maxConnections = 100_000
        let before = try DescriptorBudget(limit: 4096, for: configuration, apps: 1).connections
        configuration.blobs.store = S3Location("s3://files")
        #expect(try DescriptorBudget(limit: 4096, for: configuration, apps: 1).connections == before - 48)
        #expect(configuration.blobThreads == 32 && ServerConfiguration().blobThreads == 1)
    }

    private static let keys = (1...3).map { [UInt8](repeating: $0, count: 32).base64URL }

    @Test("keys of the encryption are separated by commas or line breaks, and the first one seals")
    func encryptionKeys() throws {
        let keys = S3ConfigurationTests.keys
        for separator in [",", " , ", "\n"] {
            let configuration = try load([
                "LCFILE_BLOBS_STORE": "s3://files", "LCFILE_BLOBS_ENCRYPTION_KEYS": keys.joined(separator: separator),
            ])
            #expect(configuration.blobs.encryptionKeys.count == 3 && configuration.blobs.unencrypted == .refuse)
            #expect(!configuration.changes.contains { "\($0)".contains(keys[0]) })
        }
        #expect(try load(["LCFILE_BLOBS_STORE": "s3://files"]).blobs.keys == nil)
    }

    @Test(
        "keys of the encryption that cannot be used are refused, without showing them",
        arguments: ["short", "\(keys[0]),\(keys[0])", "\(keys[0]),short", ","]
    )
    func malformedEncryptionKeys(text: String) {
        let error = #expect(throws: ExitError.self) {
            try load(["LCFILE_BLOBS_STORE": "s3://files", "LCFILE_BLOBS_ENCRYPTION_KEYS": text])
        }
        #expect(error?.description.contains("blobs.encryption.keys must be 1 to 8") == true)
        #expect(error?.description.contains(S3ConfigurationTests.keys[0]) == false)
    }

    @Test(
        "settings that do not fit to the encryption are refused",
        arguments: [
            (["LCFILE_BLOBS_ENCRYPTION_KEYS": keys[0]], "blobs.store, which is not set"),
            (
                [
                    "LCFILE_BLOBS_ENCRYPTION_KEYS": keys[0], "LCFILE_BLOBS_STORE": "s3://files",
                    "LCFILE_DOWNLOADS_REDIRECTS": "all",
                ], "clients have no keys"
            ),
            (
                ["LCFILE_BLOBS_STORE": "s3://files", "LCFILE_BLOBS_ENCRYPTION_UNENCRYPTED": "read"],
                "needs blobs.encryption.keys"
            ),
        ] as [([String: String], String)]
    )
    func encryptionConflicts(environment: [String: String], sentence: String) {
        let error = #expect(throws: ExitError.self) { try load(environment) }
        #expect(error?.description.contains(sentence) == true)
    }

    @Test("shared derivatives need a bucket and a cache on the disk")
    func sharedDerivatives() throws {
        var environment = ["LCFILE_IMAGES_SHARED_CACHE": "86400"]
        var error = #expect(throws: ExitError.self) { try load(environment) }
        #expect(error?.description.contains("blobs.store, which is not set") == true)
        environment["LCFILE_BLOBS_STORE"] = "s3://files"
        #expect(try load(environment).sharedDerivatives == 86_400)
        environment["LCFILE_IMAGES_CACHE_SIZE"] = "0"
        error = #expect(throws: ExitError.self) { try load(environment) }
        #expect(error?.description.contains("images.cacheSize is 0") == true)
    }
}
