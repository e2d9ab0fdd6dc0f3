/// A smaller version of an image, as LeanCloud's SDKs request it by URL.
public struct Thumbnail: Sendable, Hashable {
    /// The formats that the server writes.
    public enum Format: String, Sendable, CaseIterable {
        /// The image's own format.
        case original = ""
        /// JPEG.
        case jpg
        /// PNG.
        case png
        /// WebP.
        case webp
        /// AVIF.
        case avif
        /// GIF.
        case gif
    }

    /// The width of the box in pixels; `nil` for no bound.
    public var width: Int?
    /// The height of the box in pixels; `nil` for no bound.
    public var height: Int?
    /// Whether the image covers the box and is cropped to it; otherwise it fits inside the box.
    public var crops = false
    /// The quality from 1 to 100; `nil` for the server's default.
    public var quality: Int?
    /// The format.
    public var format = Format.original

    /// Creates a thumbnail inside a box.
    public init(width: Int? = nil, height: Int? = nil) {
        self.width = width
        self.height = height
    }

    /// The operator that follows `?` in the URL: `imageView2/2/w/200/h/200/q/85/format/webp`.
    public var query: String {
        let parameters: [(String, String?)] = [
            ("w", width.map(String.init)), ("h", height.map(String.init)), ("q", quality.map(String.init)),
            ("format", format == .original ? nil : format.rawValue),
        ]
        return parameters.reduce("imageView2/\(crops ? 1 : 2)") { query, parameter in
            parameter.1.map { "\(query)/\(parameter.0)/\($0)" } ?? query
        }
    }

    /// The URL of the thumbnail of the image at a URL, which can have a signature.
    public func url(of image: String) -> String {
        let parts = image.split(separator: "?", maxSplits: 1)
        return parts.count == 2 ? "\(parts[0])?\(query)&\(parts[1])" : "\(image)?\(query)"
    }
}
