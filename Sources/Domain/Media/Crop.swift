/// The rectangle of a `crop` parameter (protocol/files 5.4).
package struct Crop: Sendable, Hashable, CustomStringConvertible {
    /// In pixels; `nil` means the whole width.
    package var width: Int?
    /// In pixels; `nil` means the whole height.
    package var height: Int?
    /// The offset to the right of the position that gravity determines, in pixels; negative to the left.
    package var dx: Int
    /// The offset downwards, in pixels; negative upwards.
    package var dy: Int
    /// The position of the rectangle before the offsets are added.
    package var gravity: Gravity

    /// Creates a crop from checked numbers.
    package init(width: Int?, height: Int?, dx: Int = 0, dy: Int = 0, gravity: Gravity = .northWest) {
        self.width = width
        self.height = height
        self.dx = dx
        self.dy = dy
        self.gravity = gravity
    }

    /// The part of an image that the crop keeps; `nil` if the rectangle is outside the image.
    ///
    /// The rectangle is clipped at the image's edges, so a negative offset makes the result smaller.
    func rectangle(in size: ImageSize) -> ImageRectangle? {
        let wanted = ImageSize(width: width ?? size.width, height: height ?? size.height)
        let corner = gravity.corner(of: wanted, in: size)
        let left = max(0, corner.x + dx)
        let top = max(0, corner.y + dy)
        let right = min(size.width, corner.x + dx + wanted.width)
        let bottom = min(size.height, corner.y + dy + wanted.height)
        guard left < right, top < bottom else { return nil }
        return ImageRectangle(x: left, y: top, size: ImageSize(width: right - left, height: bottom - top))
    }

    /// The syntax of a URL.
    package var description: String {
        func signed(_ offset: Int) -> String { offset < 0 ? "-\(-offset)" : "a\(offset)" }
        return "!\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")\(signed(dx))\(signed(dy))"
    }
}

/// A position in an image: Qiniu's nine values.
package enum Gravity: String, Sendable, Hashable, CaseIterable {
    case northWest = "NorthWest"
    case north = "North"
    case northEast = "NorthEast"
    case west = "West"
    case center = "Center"
    case east = "East"
    case southWest = "SouthWest"
    case south = "South"
    case southEast = "SouthEast"

    /// The upper left corner of an inner rectangle at this position; negative if the inner rectangle is larger.
    func corner(of inner: ImageSize, in outer: ImageSize) -> (x: Int, y: Int) {
        let free = (width: outer.width - inner.width, height: outer.height - inner.height)
        return (Gravity.place(horizontal, free.width), Gravity.place(vertical, free.height))
    }

    /// -1 at the left, 0 in the middle, 1 at the right.
    var horizontal: Int {
        switch self {
        case .northWest, .west, .southWest: -1
        case .north, .center, .south: 0
        case .northEast, .east, .southEast: 1
        }
    }

    /// -1 at the top, 0 in the middle, 1 at the bottom.
    var vertical: Int {
        switch self {
        case .northWest, .north, .northEast: -1
        case .west, .center, .east: 0
        case .southWest, .south, .southEast: 1
        }
    }

    private static func place(_ side: Int, _ free: Int) -> Int {
        side < 0 ? 0 : side > 0 ? free : free >> 1
    }
}
