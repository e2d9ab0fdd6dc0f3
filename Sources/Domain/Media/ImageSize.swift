internal import Glibc

/// The sides of an image in pixels, at least one each.
package struct ImageSize: Sendable, Hashable, CustomStringConvertible {
    /// In pixels.
    package var width: Int
    /// In pixels.
    package var height: Int

    /// Takes both sides.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// In pixels.
    package var area: Int { width * height }

    /// Lying on its other side.
    package var turned: ImageSize { ImageSize(width: height, height: width) }

    /// The size that holds the image turned by whole degrees.
    package func rotated(by degrees: Int) -> ImageSize {
        switch degrees % 360 {
        case 0, 180: return self
        case 90, 270: return turned
        default:
            let angle = Double(degrees) * .pi / 180
            let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
            // A thousandth of a pixel is rounding, not image.
            func side(_ length: Double) -> Int { ImageSize.side((length - 0.001).rounded(.up)) }
            return ImageSize(
                width: side(Double(width) * cosine + Double(height) * sine),
                height: side(Double(width) * sine + Double(height) * cosine)
            )
        }
    }

    /// `width`x`height`.
    package var description: String { "\(width)x\(height)" }

    /// The nearest whole number of pixels, at least one; a number that no image has stays one that limits refuse.
    static func side(_ length: Double) -> Int {
        Int(max(1, min(length.rounded(), 1e9)))
    }

    /// The largest size of this shape inside a box; a missing side bounds nothing.
    ///
    /// The side that meets the box has exactly its length; the other one is rounded.
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

    /// The smallest size of this shape around a box.
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

    /// This shape with one side given.
    private func sized(byWidth: Bool, to length: Int, enlarging: Bool) -> ImageSize {
        let own = byWidth ? width : height
        guard enlarging || length < own else { return self }
        let scale = Double(length) / Double(own)
        return byWidth
            ? ImageSize(width: length, height: ImageSize.side(Double(height) * scale))
            : ImageSize(width: ImageSize.side(Double(width) * scale), height: length)
    }
}

/// A part of an image, inside of it.
package struct ImageRectangle: Sendable, Hashable {
    /// From the left edge, in pixels.
    package let x: Int
    /// From the upper edge, in pixels.
    package let y: Int
    /// Its sides.
    package let size: ImageSize

    /// Takes a place and a size.
    package init(x: Int, y: Int, size: ImageSize) {
        self.x = x
        self.y = y
        self.size = size
    }
}
