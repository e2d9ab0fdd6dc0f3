package import Domain
internal import FoundationEssentials
internal import Testing

/// An image, and the sizes that requests make of it: the table of `docs/image-options.md` in numbers.
///
/// The numbers are worked out in exact fractions by `geometry.py` of the conformance tests, which reads nothing but the
/// document; tables and random chains are among them.
package struct ImageSizeCase: Sendable, CustomTestStringConvertible {
    /// The image as its file has it.
    package let source: ImageSize
    /// The EXIF orientation, 1 to 8.
    package let orientation: Int
    /// The query of a URL, and the result's size in pixels; `nil` where the request is refused.
    package let requests: [(query: String, size: ImageSize?)]

    package var testDescription: String { "\(source), orientation \(orientation)" }

    /// Reads `Cases/image-sizes.json`.
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
