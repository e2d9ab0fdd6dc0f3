extension Watermark.Mark {
    /// The upper left corner of a mark; its offsets can place it partly outside the image.
    ///
    /// Offsets point inwards from the edge that gravity names, and right or down where it names none.
    package func corner(of mark: ImageSize, in picture: ImageSize) -> (x: Int, y: Int) {
        let corner = gravity.corner(of: mark, in: picture)
        return (
            corner.x + (gravity.horizontal > 0 ? -dx : dx),
            corner.y + (gravity.vertical > 0 ? -dy : dy)
        )
    }
}

extension Watermark.ImageMark {
    /// The maximum factor by which a mark is enlarged.
    private static let largestScale = 10.0

    /// The size of a mark on an image: scaled by ``scale``, and never larger than the image.
    package func size(of mark: ImageSize, on picture: ImageSize) -> ImageSize {
        var size = mark
        if let scale {
            let (own, whole) =
                switch scaling {
                case .shortSide: (min(mark.width, mark.height), min(picture.width, picture.height))
                case .longSide: (max(mark.width, mark.height), max(picture.width, picture.height))
                case .width: (mark.width, picture.width)
                case .height: (mark.height, picture.height)
                }
            let factor = min(scale * Double(whole) / Double(own), Watermark.ImageMark.largestScale)
            size = ImageSize(
                width: ImageSize.side(Double(mark.width) * factor),
                height: ImageSize.side(Double(mark.height) * factor)
            )
        }
        return size.fitted(width: picture.width, height: picture.height, enlarging: false)
    }
}
