import Testing

@testable import S3

@Suite("Signature Version 4")
struct SignatureTests {
    /// A request of AWS's published examples for S3, with its signature.
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let path: String
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        let signature: String
    }

    static let examples = [
        Example(
            testDescription: "GET with a range",
            method: "GET",
            path: "/test.txt",
            headers: [("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            testDescription: "PUT of a key with a dollar sign",
            method: "PUT",
            path: "/test%24file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            testDescription: "a parameter without a value",
            method: "GET",
            path: "/",
            query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            testDescription: "parameters, not in order",
            method: "GET",
            path: "/",
            query: [("prefix", "J"), ("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test("signs AWS's examples for S3 as AWS does", arguments: examples)
    func signsExamplesOfS3(_ example: Example) {
        let signature = SignatureV4(
            credentials: S3Credentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE",
                secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
            ),
            region: "us-east-1"
        )
        let time = SigningTime(1_369_353_600)
        let digest = S3Body(Array(example.body.utf8)).digests.sha256
        let fixed = [
            (name: "Host", value: "examplebucket.s3.amazonaws.com"), (name: "x-amz-content-sha256", value: digest),
            (name: "x-amz-date", value: time.text),
        ]
        let message = SignatureV4.Message(
            method: example.method,
            path: example.path,
            query: example.query,
            headers: fixed + example.headers,
            bodyDigest: digest
        )
        #expect(signature.authorization(for: message, at: time).hasSuffix("Signature=\(example.signature)"))
    }

    private static let keys = (id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    @Test("signs the URL of AWS's example for query strings as AWS does")
    func signsExampleOfURLs() throws {
        let signer = S3URLSigner(
            try S3Bucket("examplebucket", region: "us-east-1", endpoint: "https://s3.amazonaws.com", addressing: .host),
            credentials: S3Credentials(accessKey: SignatureTests.keys.id, secretKey: SignatureTests.keys.secret)
        )
        let url = signer.url(of: "test.txt", S3ResponseFields(), from: 1_369_353_600, seconds: 86_400)
        let expected = [
            "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256",
            "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
            "X-Amz-Date=20130524T000000Z", "X-Amz-Expires=86400", "X-Amz-SignedHeaders=host",
            "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
        ]
        #expect(url == expected.joined(separator: "&"))
    }

    @Test("signs a URL with temporary keys and fields of the response as botocore 1.44.8 does")
    func signsURLAsBotocore() throws {
        let credentials = S3Credentials(
            accessKey: SignatureTests.keys.id,
            secretKey: SignatureTests.keys.secret,
            sessionToken: "to/ken+1="
        )
        let bucket = try S3Bucket("bucket", region: "eu-west-1", endpoint: "https://s3.example.com:9000")
        let fields = S3ResponseFields(
            contentType: "text/plain; charset=utf-8",
            cacheControl: "public, max-age=31536000, immutable",
            contentDisposition: "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"
        )
        let signer = S3URLSigner(bucket, credentials: credentials)
        let url = try #require(signer.url(of: "a/b.c d", fields, from: 1_369_353_600, seconds: 900))
        #expect(url.hasPrefix("https://s3.example.com:9000/bucket/a/b.c%20d?"))
        #expect(url.contains("&X-Amz-Security-Token=to%2Fken%2B1%3D&"))
        #expect(url.contains("&response-content-type=text%2Fplain%3B%20charset%3Dutf-8&"))
        #expect(url.hasSuffix("&X-Amz-Signature=8fb1ca928a243b3c4f8ccb6e496818cd9267a79784b4a45fbb4e7f2c8b62958e"))
        #expect(!url.contains(SignatureTests.keys.secret))
    }

    @Test("a URL is valid for a week at most, which is AWS's limit")
    func boundsURLs() throws {
        let signer = S3URLSigner(
            try S3Bucket("bucket", region: "us-east-1"),
            credentials: S3Credentials(accessKey: "id", secretKey: "secret")
        )
        let url = try #require(signer.url(of: "a", S3ResponseFields(), from: 0, seconds: .max))
        #expect(url.contains("&X-Amz-Expires=604800&"))
    }

    /// A request of AWS's test suite for the signature, with its signature.
    static let vectors: [Example] = [
        Example(
            testDescription: "get-vanilla",
            method: "GET",
            path: "/",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
        Example(
            testDescription: "post-vanilla",
            method: "POST",
            path: "/",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        ),
        Example(
            testDescription: "get-vanilla-query-order-key-case",
            method: "GET",
            path: "/",
            query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        Example(
            testDescription: "get-utf8",
            method: "GET",
            path: S3Encoding.path("/\u{1234}"),
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"
        ),
        Example(
            testDescription: "get-header-value-trim",
            method: "GET",
            path: "/",
            headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
        ),
        Example(
            testDescription: "get-header-key-duplicate",
            method: "GET",
            path: "/",
            headers: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
        ),
    ]

    @Test("signs the vectors of AWS's test suite", arguments: vectors)
    func signsTheTestSuite(_ vector: Example) {
        var signature = SignatureV4(
            credentials: S3Credentials(
                accessKey: "AKIDEXAMPLE",
                secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
            ),
            region: "us-east-1"
        )
        signature.service = "service"
        let time = SigningTime(1_440_938_160)
        let fixed = [(name: "Host", value: "example.amazonaws.com"), (name: "X-Amz-Date", value: time.text)]
        let message = SignatureV4.Message(
            method: vector.method,
            path: vector.path,
            query: vector.query,
            headers: fixed + vector.headers,
            bodyDigest: S3Digests.empty.sha256
        )
        #expect(signature.authorization(for: message, at: time).hasSuffix("Signature=\(vector.signature)"))
    }

    @Test(
        "reads the times of stores",
        arguments: [
            ("2026-01-02T03:04:05.678Z", 1_767_323_045), ("2026-01-02T03:04:05Z", 1_767_323_045),
            ("2024-02-29T00:00:00.000Z", 1_709_164_800), ("yesterday", nil), ("2026-13-02T03:04:05Z", nil),
        ] as [(String, Int64?)]
    )
    func readsTimes(text: String, seconds: Int64?) {
        #expect(SigningTime.seconds(ofXML: text) == seconds)
    }

    @Test("reads the times of heads")
    func readsHTTPDates() {
        #expect(SigningTime.seconds(ofHTTP: "Fri, 02 Jan 2026 03:04:05 GMT") == 1_767_323_045)
        #expect(SigningTime.seconds(ofHTTP: "now") == nil)
    }

    @Test("shows no key in a description or a dump")
    func hidesKeys() {
        let credentials = S3Credentials(accessKey: "ACCESS", secretKey: "SECRET", sessionToken: "TOKEN")
        var dumped = "\(credentials) \(String(reflecting: credentials))"
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("SECRET") && !dumped.contains("ACCESS") && !dumped.contains("TOKEN"))
    }
}
