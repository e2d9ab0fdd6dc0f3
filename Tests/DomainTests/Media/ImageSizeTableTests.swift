import Support
import Testing

@testable import Domain

/// The size of every result in the table of cases, decided without a pixel.
@Suite struct ImageSizeTableTests {
    @Test("results have the sizes in the table, and what the table refuses is refused", arguments: ImageSizeCase.all)
    func sizes(image: ImageSizeCase) throws {
        let header = ImageHeader(format: image.orientation == 1 ? .png : .jpeg, size: image.source)
        let source = image.orientation == 1 ? header : header.oriented(image.orientation)
        for (query, size) in image.requests {
            do {
                #expect(try ImagePlan.of(query, source).size == size, "\(query)")
            } catch let error as ServiceError {
                #expect(size == nil, "\(query): \(error.message)")
                #expect([.badImageRequest, .imageTooLarge].contains(error.code), "\(query)")
            }
        }
    }

    @Test("the table is there")
    func table() {
        #expect(ImageSizeCase.all.count == 32)
        #expect(ImageSizeCase.all.reduce(0) { $0 + $1.requests.count } == 1301)
    }
}
