import HTTPTypes
import Testing

@testable import HTTPAPI

/// What follows the token in the path of an `upload_url` (protocol/files 2.3 to 2.6).
@Suite struct UploadPathTests {
    private func path(_ rest: String, version: String = "1.1") -> UploadPath {
        UploadPath("/\(version)/upload/\(String(repeating: "a", count: 40))\(rest)")
    }

    @Test("nothing behind the token is the upload as a whole", arguments: ["1.1", "1"])
    func bare(version: String) {
        for rest in ["", "/"] {
            #expect(path(rest, version: version).dialect == .object)
            #expect(path(rest, version: version).isBare)
        }
    }

    @Test(
        "what no dialect knows is part of an S3 client's own path",
        arguments: [
            "/a", "/bucket/key.png", "/mkblk", "/mkblk/", "/mkblk/x", "/mkblk/1/2", "/mkblk/99999999999999999999",
            "/bput", "/bput/c", "/bput/c/x", "/bput/c/1/2", "/mkfile", "/mkfile/x", "/mkfile/x/key/YQ==", "/buckets",
            "/buckets/b/objects", "/buckets/b/objects/YQ==", "/buckets/b/things/YQ==/uploads",
            "/buckets/b/objects/YQ==/uploads/u/1/2",
        ]
    )
    func object(rest: String) {
        #expect(path(rest).dialect == .object)
        #expect(!path(rest).isBare)
    }

    @Test("a block begins with its size", arguments: [1, 4_194_304] as [Int64])
    func makeBlock(size: Int64) {
        #expect(path("/mkblk/\(size)").dialect == .makeBlock(size: size))
    }

    @Test(
        "a chunk comes with a context, encoded or not, and an offset",
        arguments: ["1.0.4.2.A-_w==", "1.0.4.2.A-_w%3D%3D"]
    )
    func putChunk(context: String) {
        #expect(path("/bput/\(context)/262144").dialect == .putChunk(context: "1.0.4.2.A-_w==", offset: 262_144))
    }

    @Test(
        "a file is made with its size, perhaps a key, and other pairs that do not count",
        arguments: [
            ("/mkfile/5", nil), ("/mkfile/5/", nil), ("/mkfile/5/key/YS9i", "YS9i"), ("/mkfile/5/key/YQ==", "YQ=="),
            ("/mkfile/5/key/YQ%3D%3D", "YQ=="), ("/mkfile/5/key/YQ", "YQ"), ("/mkfile/5/key/a-_b", "a-_b"),
            ("/mkfile/5/key/a%2B%2Fb", "a+/b"), ("/mkfile/5/key/YQ==/fname/eA==/x:a/YQ==", "YQ=="),
            ("/mkfile/5/mimeType/eA==/key/YQ==", "YQ=="), ("/mkfile/5/mimeType/eA==", nil), ("/mkfile/5/key", nil),
        ] as [(String, String?)]
    )
    func makeFile(rest: String, key: String?) {
        #expect(path(rest).dialect == .makeFile(size: 5, key: key))
    }

    @Test(
        "parts have a bucket, a key in Base64 of either alphabet, encoded or not, and perhaps an id and a number",
        arguments: [
            ("YS9i/uploads", "YS9i", nil, nil), ("YS9i/uploads/", "YS9i", nil, nil),
            ("YS9i/uploads/u1", "YS9i", "u1", nil), ("YS9i/uploads/u1/10000", "YS9i", "u1", "10000"),
            ("~/uploads/u1", "~", "u1", nil),
            ("YQ==/uploads/u1/1", "YQ==", "u1", "1"), ("YQ%3D%3D/uploads/u1/1", "YQ==", "u1", "1"),
            ("a-_b/uploads/u1", "a-_b", "u1", nil), ("a+/b/uploads/u1", "a+/b", "u1", nil),
            ("a%2B%2Fb/uploads/u1", "a+/b", "u1", nil), ("a/b/c+d/e=/uploads/u1/7", "a/b/c+d/e=", "u1", "7"),
            ("a/uploads/b/uploads/u1/7", "a/uploads/b", "u1", "7"), ("YQ==/uploads/u1/x", "YQ==", "u1", "x"),
        ] as [(String, String, String?, String?)]
    )
    func parts(rest: String, key: String, uploadID: String?, number: String?) {
        guard case .parts(let parts) = path("/buckets/any/objects/\(rest)").dialect else {
            Issue.record("No parts.")
            return
        }
        #expect(parts.key == key)
        #expect(parts.uploadID == uploadID)
        #expect(parts.number == number)
    }

    @Test("only a PUT of the upload as a whole, whatever its path, speaks S3")
    func isS3() {
        for rest in ["", "/", "/bucket/key.png"] {
            #expect(path(rest).isS3(.put))
            #expect(!path(rest).isS3(.post))
        }
        #expect(!path("/buckets/b/objects/YQ==/uploads/u/1").isS3(.put))
    }
}
