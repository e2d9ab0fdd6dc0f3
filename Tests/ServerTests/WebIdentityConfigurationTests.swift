import Domain
import S3
import Storage
import Testing

@testable import Server

@Suite("Settings of web identity tokens")
struct WebIdentityConfigurationTests {
    private func load(_ environment: [String: String]) throws -> ServerConfiguration {
        try ConfigurationLoader(environment: environment).load()
    }

    private let location = S3Location("s3://bucket/a/b")

    private static let role = "arn:aws:iam::111122223333:role/files"

    private static let identity = [
        "AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/token", "AWS_ROLE_ARN": role, "AWS_ROLE_SESSION_NAME": "pod-1",
        "AWS_ENDPOINT_URL_STS": "https://sts.example.com",
    ]

    @Test("a web identity token comes from AWS's variables if no setting and no variable has keys")
    func takesIdentityOfAWS() throws {
        let location = try #require(location)
        let s3 = try load(WebIdentityConfigurationTests.identity).blobs.s3
        #expect(s3.webIdentityTokenFile == "/var/run/token" && s3.roleARN == WebIdentityConfigurationTests.role)
        #expect(s3.roleSessionName == "pod-1" && s3.stsEndpoint == "https://sts.example.com")
        let source = try s3.credentials(for: location)
        #expect(source is WebIdentitySource)
        let keys = ["AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret"]
        let both = try load(WebIdentityConfigurationTests.identity.merging(keys) { $1 }).s3
        #expect(both.webIdentityTokenFile.isEmpty && both.roleARN.isEmpty && both.accessKey.revealed == "access")
        let fixed = try both.credentials(for: location)
        #expect(fixed is S3Credentials)
        let own = ["LCFILE_BACKUP_S3_ACCESS_KEY": "own", "LCFILE_BACKUP_S3_SECRET_KEY": "own-secret"]
        let withOwn = try load(WebIdentityConfigurationTests.identity.merging(own) { $1 }).s3
        #expect(withOwn.webIdentityTokenFile.isEmpty && withOwn.accessKey.revealed == "own")
    }

    @Test("a web identity token of the settings takes precedence over keys and a token of AWS's variables")
    func prefersIdentityOfSettings() throws {
        let environment = [
            "LCFILE_BLOBS_S3_WEB_IDENTITY_TOKEN_FILE": "/own", "LCFILE_BLOBS_S3_ROLE_ARN": "arn:aws:iam::1:role/own",
            "AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
        ]
        let s3 = try load(WebIdentityConfigurationTests.identity.merging(environment) { $1 }).blobs.s3
        #expect(s3.webIdentityTokenFile == "/own" && s3.roleARN == "arn:aws:iam::1:role/own")
        #expect(s3.accessKey.revealed.isEmpty && s3.sessionToken.revealed.isEmpty)
    }

    @Test("stores other than AWS need no role; a token of the environment without one is not used for AWS")
    func rolesAreOptional() throws {
        let location = try #require(location)
        let token = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/token"]
        let error = #expect(throws: ExitError.self) { try load(token).s3.target(at: location) }
        #expect(error?.description.contains("backup.s3.webIdentityTokenFile") == true)
        for (name, value) in [
            ("LCFILE_BACKUP_S3_ENDPOINT", "https://minio.example.com"),
            ("AWS_ENDPOINT_URL_STS", "https://sts.example.com"),
        ] {
            let s3 = try load(token.merging([name: value]) { $1 }).s3
            let source = try s3.credentials(for: location)
            #expect(source is WebIdentitySource && s3.roleARN.isEmpty)
        }
    }

    @Test("a URL of AWS's variables that is none is refused when it is used, without showing it")
    func malformedEndpointOfAWS() throws {
        let location = try #require(location)
        var environment = WebIdentityConfigurationTests.identity
        environment["AWS_ENDPOINT_URL_STS"] = "https://a:pass@b"
        let s3 = try load(environment).s3
        let error = #expect(throws: ExitError.self) { try s3.credentials(for: location) }
        #expect(error?.description.contains("AWS_ENDPOINT_URL_STS") == true)
        #expect(error?.description.contains("pass") == false)
    }

    @Test(
        "the security token service is AWS's for AWS, otherwise that of the store",
        arguments: [
            (nil, "eu-west-1", "https://sts.eu-west-1.amazonaws.com"),
            (nil, "cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn"),
            ("https://s3.eu-west-1.amazonaws.com", "eu-west-1", "https://sts.eu-west-1.amazonaws.com"),
            ("https://minio.example.com:9000", "us-east-1", "https://minio.example.com:9000"),
        ] as [(String?, String, String)]
    )
    func securityTokenServices(endpoint: String?, region: String, expected: String) {
        #expect(WebIdentity.endpoint(beside: endpoint, region: region) == expected)
    }

    @Test(
        "settings that do not fit together are refused",
        arguments: [
            (["BLOBS_S3_ROLE_ARN": role], "blobs.s3.roleArn needs blobs.s3.webIdentityTokenFile"),
            (
                ["BLOBS_S3_WEB_IDENTITY_TOKEN_FILE": "/token"],
                "blobs.s3.webIdentityTokenFile needs blobs.s3.roleArn"
            ),
            (
                [
                    "BACKUP_S3_WEB_IDENTITY_TOKEN_FILE": "/token", "BACKUP_S3_ROLE_ARN": role,
                    "BACKUP_S3_ACCESS_KEY": "id", "BACKUP_S3_SECRET_KEY": "hidden",
                ],
                "backup.s3.webIdentityTokenFile and backup.s3.accessKey are both set"
            ),
            (["BACKUP_S3_ROLE_SESSION_NAME": "a b"], "backup.s3.roleSessionName is 'a b'"),
        ] as [([String: String], String)]
    )
    func conflicts(settings: [String: String], sentence: String) {
        let environment = Dictionary(uniqueKeysWithValues: settings.map { ("LCFILE_\($0.key)", $0.value) })
        let error = #expect(throws: ExitError.self) { try load(environment) }
        #expect(error?.description.contains(sentence) == true && error?.description.contains("hidden") == false)
    }
}
