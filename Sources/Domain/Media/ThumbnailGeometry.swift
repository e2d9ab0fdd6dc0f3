/// The geometry of `thumbnail` (protocol/files 5.4), with the size that results from it.
package enum ThumbnailGeometry: Sendable, Hashable, CustomStringConvertible {
    /// Scales each side by a percentage of 0 to 1000, fractions allowed; `nil` leaves the side unchanged.
    case percent(width: Double?, height: Double?)
    /// Fits the box, larger or smaller; a missing side follows from the other one.
    case fit(width: Int?, height: Int?)
    /// Covers the box.
    case cover(width: Int, height: Int)
    /// Exactly the box, with distortion.
    case exact(width: Int, height: Int)
    /// As ``fit(width:height:)`` if any side of the image is larger than the box; otherwise unchanged.
    case shrink(width: Int?, height: Int?)
    /// As ``fit(width:height:)`` if all sides of the image are smaller than the box; otherwise unchanged.
    case enlarge(width: Int?, height: Int?)
    /// The same aspect ratio with at most this number of pixels.
    case area(Int)

    /// A geometry with a longer side can only shrink an image.
    static let largestSide = 10_000
    /// A geometry with a larger area can only shrink an image.
    static let largestArea = 25_000_000

    /// The size of the result; at least one pixel on each side.
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
            // Rounded down, so that the product exceeds the area only if a side would be less than a pixel; the small
            // addition keeps whole results whole.
            return ImageSize(
                width: max(1, Int(Double(source.width) * scale + 1e-6)),
                height: max(1, Int(Double(source.height) * scale + 1e-6))
            )
        }
    }

    /// The syntax of a URL.
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
