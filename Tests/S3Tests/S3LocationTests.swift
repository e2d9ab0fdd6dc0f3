import Testing

@testable import S3

@Suite("Addresses of buckets")
struct S3LocationTests {
    @Test(
        "an address has a bucket and a prefix",
        arguments: [
            ("s3://bucket", "bucket", ""), ("s3://bucket/", "bucket", ""), ("s3://bucket/a/b-1", "bucket", "a/b-1"),
            ("s3://bucket/a/", "bucket", "a"),
        ]
    )
    func parses(text: String, bucket: String, prefix: String) {
        let location = S3Location(text)
        #expect(location?.bucket == bucket && location?.prefix == prefix)
    }

    @Test(
        "other strings are no addresses",
        arguments: [
            "bucket", "/backups", "s3://", "s3:///a", "s3://b//a", "s3://b/../a", "s3://b/a b", "S3://b", "s3://b/a//",
        ]
    )
    func refuses(_ text: String) {
        #expect(S3Location(text) == nil)
    }
}
