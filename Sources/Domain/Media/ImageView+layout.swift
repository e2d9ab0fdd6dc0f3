extension ImageView {
    /// The size to which an upright image is scaled, and the crop that follows (protocol/files 5.2, 5.3).
    func layout(of size: ImageSize) -> (scaled: ImageSize, cut: Crop?) {
        // Qiniu's clients also use the operator to set format or quality only.
        guard width != nil || height != nil else { return (size, nil) }
        switch mode {
        case .inside:
            return (size.fitted(width: width, height: height, enlarging: false), nil)
        case .insideByLength:
            let isTall = size.height > size.width
            let scaled = size.fitted(
                width: isTall ? height : width,
                height: isTall ? width : height,
                enlarging: false
            )
            return (scaled, nil)
        case .cut, .around:
            return covering(size, box, cutting: mode == .cut)
        case .aroundByLength, .cutByLength:
            // The box is given for a landscape image.
            let isTall = size.height > size.width
            return covering(size, isTall ? box.turned : box, cutting: mode == .cutByLength)
        }
    }

    /// The box of the request; in these modes a missing side is equal to the other one.
    private var box: ImageSize {
        ImageSize(width: width ?? height ?? 1, height: height ?? width ?? 1)
    }

    private func covering(_ size: ImageSize, _ box: ImageSize, cutting: Bool) -> (scaled: ImageSize, cut: Crop?) {
        let scaled = size.covering(width: box.width, height: box.height, enlarging: isLegacy)
        return (scaled, cutting ? Crop(width: box.width, height: box.height, gravity: .center) : nil)
    }
}
