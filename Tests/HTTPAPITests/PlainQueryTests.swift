import Domain
import Testing

@testable import HTTPAPI

/// Plain downloads are told from image words by their query alone.
@Suite struct PlainQueryTests {
    private let context = ImageWordContext(limits: ImageLimits(), ownKey: { FileKey($0) }, fileSize: 1)

    @Test(
        "a query without image words is none before any word is read",
        arguments: ["", "v=3", "attname=a.jpg", "a=b/c", "&imageInfo", "=", "v=1|imageInfo", "v=%zz"]
    )
    func plain(query: String) throws {
        #expect(!query.mayHoldImageWords)
        #expect(try ImageRequest(query: query, context: context) == nil)
    }

    @Test(
        "whatever may be words is read",
        arguments: ["imageInfo", "stat&v=3", "imageView2/2/w/1", "watermark/2/text/YQ==", "v%3D3", "nonsense", "/"]
    )
    func words(query: String) {
        #expect(query.mayHoldImageWords)
    }
}
