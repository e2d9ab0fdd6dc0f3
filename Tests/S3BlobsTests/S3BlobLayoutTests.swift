import Domain
import Testing

@testable import S3Blobs

@Suite("The names of objects")
struct S3BlobLayoutTests {
    private let file = ObjectID("5a1b2c3d4e5f6a7b8c9d0e1f")

    @Test("a name has the prefix, the app, the blob and the file", arguments: [("", "app/"), ("a/b", "a/b/app/")])
    func names(prefix: String, root: String) throws {
        let layout = S3BlobLayout(prefix: prefix, app: "app")
        let file = try #require(file)
        let blob = BlobName(try #require(FileKey("photo.jpg")))
        let digits = blob.description
        #expect(layout.name(of: blob, file) == "\(root)blobs/\(digits.prefix(2))/\(digits).\(file)")
        #expect(layout.claim(of: blob, file) == layout.name(of: blob, file) + ".claim")
        #expect(layout.name(ofTrashed: file, file) == "\(root)trash/1f/\(file).\(file)")
    }
}
