internal import Glibc

/// The width and height of an image in pixels, at least one each.
package struct ImageSize: Sendable, Hashable, CustomStringConvertible {
    /// In pixels.
    package var width: Int
    /// In pixels.
    package var height: Int

    /// Creates a size.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels.
    package var area: Int { width * height }

    /// The size with width and height exchanged.
    package var turned: ImageSize { ImageSize(width: height, height: width) }

    /// The smallest size that contains the image after a rotation by whole degrees.
    package func rotated(by degrees: Int) -> ImageSize {
        switch degrees % 360 {
        case 0, 180: return self
        case 90, 270: return turned
        default:
            let angle = Double(degrees) * .pi / 180
            let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
            // A thousandth of a pixel is a rounding error.
            func side(_ length: Double) -> Int { ImageSize.side((length - 0.001).rounded(.up)) }
            return ImageSize(
                width: side(Double(width) * cosine + Double(height) * sine),
                height: side(Double(width) * sine + Double(height) * cosine)
            )
        }
    }

    /// The size as `<width>x<height>`.
    package var description: String { "\(width)x\(height)" }

    /// Rounds to whole pixels, at least one and at most 10⁹, which every limit refuses.
    static func side(_ length: Double) -> Int {
        Int(max(1, min(length.rounded(), 1e9)))
    }

    /// The largest size with this aspect ratio inside a box; a missing side does not limit the size.
    ///
    /// The side that limits the size has exactly the box's length; the other one is rounded.
    func fitted(width: Int?, height: Int?, enlarging: Bool) -> ImageSize {
        let isWiderThanBox =
            switch (width, height) {
            case (let width?, let height?): self.width * height >= self.height * width
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): true
            }
        guard let bound = isWiderThanBox ? width : height else { return self }
        return sized(byWidth: isWiderThanBox, to: bound, enlarging: enlarging)
    }

    /// The smallest size with this aspect ratio that covers a box.
    func covering(width: Int, height: Int, enlarging: Bool) -> ImageSize {
        let isWiderThanBox = self.width * height >= self.height * width
        var size = sized(byWidth: !isWiderThanBox, to: isWiderThanBox ? height : width, enlarging: enlarging)
        // Rounding must not leave a gap.
        if size != self {
            size.width = max(size.width, width)
            size.height = max(size.height, height)
        }
        return size
    }

    /// The size with this aspect ratio and one given side.
    private func sized(byWidth: Bool, to length: Int, enlarging: Bool) -> ImageSize {
        let own = byWidth ? width : height
        guard enlarging || length < own else { return self }
        let scale = Double(length) / Double(own)
        return byWidth
            ? ImageSize(width: length, height: ImageSize.side(Double(height) * scale))
            : ImageSize(width: ImageSize.side(Double(width) * scale), height: length)
    }
}

/// A rectangle inside an image.
package struct ImageRectangle: Sendable, Hashable {
    /// The offset from the left edge in pixels.
    package let x: Int
    /// The offset from the upper edge in pixels.
    package let y: Int
    /// The width and height of the rectangle.
    package let size: ImageSize

    /// Creates a rectangle from its offset and size.
    package init(x: Int, y: Int, size: ImageSize) {
        self.x = x
        self.y = y
        self.size = size
    }
}
