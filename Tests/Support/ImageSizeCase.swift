package import Domain
internal import FoundationEssentials
internal import Testing

/// An image, and the sizes of the images that requests render from it: the table of `docs/image-options.md` in numbers.
///
/// `geometry.py` of the conformance tests computes the numbers in exact fractions, from the document only; they include
/// tables and random chains.
package struct ImageSizeCase: Sendable, CustomTestStringConvertible {
    /// The size in the image's file.
    package let source: ImageSize
    /// The EXIF orientation, 1 to 8.
    package let orientation: Int
    /// The query string of a URL, and the result's size in pixels; `nil` if the request is refused.
    package let requests: [(query: String, size: ImageSize?)]

    package var testDescription: String { "\(source), orientation \(orientation)" }

    /// The cases of `Cases/image-sizes.json`.
    package static let all: [ImageSizeCase] = {
        do {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases/image-sizes.json")
            let json = try JSONValue(parsing: Array(try Data(contentsOf: file)), field: "image-sizes.json")
            return try (json.arrayValue ?? []).map { try ImageSizeCase($0.objectValue ?? [:]) }
        } catch {
            Issue.record(error)
            return []
        }
    }()

    private init(_ json: [String: JSONValue]) throws {
        source = try #require(ImageSizeCase.size(json["width"], json["height"]))
        orientation = Int(try #require(json["orientation"]?.integerValue))
        requests = try #require(json["sizes"]?.objectValue).sorted { $0.key < $1.key }.map { query, sides in
            (query, ImageSizeCase.size(sides.arrayValue?.first, sides.arrayValue?.last))
        }
    }

    private static func size(_ width: JSONValue?, _ height: JSONValue?) -> ImageSize? {
        guard let width = width?.integerValue, let height = height?.integerValue else { return nil }
        return ImageSize(width: Int(width), height: Int(height))
    }
}
