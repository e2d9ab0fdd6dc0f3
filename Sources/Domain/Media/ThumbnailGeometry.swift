/// The geometry of `thumbnail` (protocol/files 5.4), and the size that it results in.
package enum ThumbnailGeometry: Sendable, Hashable, CustomStringConvertible {
    /// Each side by percent; a side without percent stays. 0 to 1000, fractions allowed.
    case percent(width: Double?, height: Double?)
    /// Inside the box, larger or smaller; a missing side follows.
    case fit(width: Int?, height: Int?)
    /// Around the box.
    case cover(width: Int, height: Int)
    /// Exactly the box, distorted.
    case exact(width: Int, height: Int)
    /// As ``fit(width:height:)`` if the image is larger than the box on any side; else it stays.
    case shrink(width: Int?, height: Int?)
    /// As ``fit(width:height:)`` if the image is smaller than the box on all sides; else it stays.
    case enlarge(width: Int?, height: Int?)
    /// The same shape with at most so many pixels.
    case area(Int)

    /// Beyond it a size only shrinks.
    static let largestSide = 10_000
    /// Beyond it an area only shrinks.
    static let largestArea = 25_000_000

    /// The size that an image gets; at least one pixel a side.
    func size(of source: ImageSize) -> ImageSize {
        switch self {
        case .percent(let width, let height):
            return ImageSize(
                width: width.map { ImageSize.side(Double(source.width) * $0 / 100) } ?? source.width,
                height: height.map { ImageSize.side(Double(source.height) * $0 / 100) } ?? source.height
            )
        case .fit(let width, let height):
            if max(width ?? 0, height ?? 0) > ThumbnailGeometry.largestSide {
                return source.fitted(width: width, height: height, enlarging: false)
            }
            return source.fitted(width: width, height: height, enlarging: true)
        case .cover(let width, let height):
            return source.covering(
                width: width,
                height: height,
                enlarging: max(width, height) <= ThumbnailGeometry.largestSide
            )
        case .exact(let width, let height):
            return ImageSize(width: width, height: height)
        case .shrink(let width, let height):
            return source.fitted(width: width, height: height, enlarging: false)
        case .enlarge(let width, let height):
            let isSmaller = source.width < width ?? .max && source.height < height ?? .max
            return isSmaller ? source.fitted(width: width, height: height, enlarging: true) : source
        case .area(let area):
            let scale = (Double(area) / Double(source.area)).squareRoot()
            if scale >= 1, area > ThumbnailGeometry.largestArea { return source }
            // Down, so that the product exceeds the area only where a side would be less than a pixel; a hair more, so
            // that whole results stay whole.
            return ImageSize(
                width: max(1, Int(Double(source.width) * scale + 1e-6)),
                height: max(1, Int(Double(source.height) * scale + 1e-6))
            )
        }
    }

    /// In the syntax of a URL.
    package var description: String {
        func text(_ side: Int?) -> String { side.map(String.init) ?? "" }
        return switch self {
        case .percent(let width?, let height?) where width == height: "!\(width)p"
        case .percent(let width, let height):
            "!\(width.map { "\($0)p" } ?? "")x\(height.map { "\($0)p" } ?? "")"
        case .fit(let width, let height): "\(text(width))x\(text(height))"
        case .cover(let width, let height): "!\(width)x\(height)r"
        case .exact(let width, let height): "\(width)x\(height)!"
        case .shrink(let width, let height): "\(text(width))x\(text(height))>"
        case .enlarge(let width, let height): "\(text(width))x\(text(height))<"
        case .area(let area): "\(area)@"
        }
    }
}
