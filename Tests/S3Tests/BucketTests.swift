import Testing

@testable import S3

@Suite("The addresses of buckets")
struct BucketTests {
    @Test("AWS's buckets are hosts, where a certificate covers the name")
    func namesHostsOfAWS() throws {
        let usual = try S3Bucket("photos", region: "eu-central-1")
        #expect(usual.origin == "https://photos.s3.eu-central-1.amazonaws.com" && usual.pathPrefix == "")
        let dotted = try S3Bucket("photos.example.com", region: "us-east-1")
        #expect(dotted.origin == "https://s3.us-east-1.amazonaws.com" && dotted.pathPrefix == "/photos.example.com")
        #expect(try S3Bucket("photos", region: "cn-north-1").host == "photos.s3.cn-north-1.amazonaws.com.cn")
    }

    @Test("buckets of other stores are paths, unless a setting says host")
    func namesPathsOfOthers() throws {
        let path = try S3Bucket("photos", region: "us-east-1", endpoint: "http://127.0.0.1:9000/")
        #expect(path.origin == "http://127.0.0.1:9000" && path.pathPrefix == "/photos" && path.host == "127.0.0.1:9000")
        let host = try S3Bucket("photos", region: "r", endpoint: "https://S3.Example.com:443", addressing: .host)
        #expect(host.origin == "https://photos.s3.example.com" && host.pathPrefix == "")
    }

    @Test(
        "refuses names, regions and endpoints that cannot be used",
        arguments: [
            ("ab", "us-east-1", nil), ("a/b", "us-east-1", nil), (".abc", "us-east-1", nil), ("abc", "", nil),
            ("abc", "us east", nil), ("abc", "us-east-1", "ftp://host"), ("abc", "us-east-1", "https://host/path"),
            ("abc", "us-east-1", "https://user@host"), ("abc", "us-east-1", "https://"),
        ] as [(String, String, String?)]
    )
    func refusesUnusable(name: String, region: String, endpoint: String?) {
        let error = #expect(throws: S3Error.self) { try S3Bucket(name, region: region, endpoint: endpoint) }
        #expect(error?.reason == .settings)
    }
}
