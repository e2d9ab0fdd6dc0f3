import Testing

@testable import Domain

/// What plans are made of in tests: an ordinary photograph, unless something else is said.
let photoHeader = ImageHeader(format: .jpeg, size: ImageSize(width: 800, height: 600))

extension ImageSize {
    /// Both sides, in fewer letters.
    init(_ width: Int, _ height: Int) {
        self.init(width: width, height: height)
    }
}

extension ImageHeader {
    /// The same image as a camera held on its side wrote it.
    func oriented(_ orientation: Int) -> ImageHeader {
        var header = self
        header.orientation = orientation
        header.hasOrientation = true
        return header
    }
}

extension ImagePlan {
    /// The plan of operators for an image.
    static func of(
        _ operations: String,
        _ header: ImageHeader = photoHeader,
        automatic: [ImageFormat] = [],
        limits: ImageLimits = ImageLimits()
    ) throws -> ImagePlan {
        let request = try #require(try ImageRequest.read(operations))
        return try ImagePlan(request, of: header, automatic: automatic, limits: limits)
    }
}
