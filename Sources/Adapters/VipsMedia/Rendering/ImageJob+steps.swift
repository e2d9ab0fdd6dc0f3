internal import CVips
internal import Domain
internal import Glibc

extension ImageJob {
    func applying(_ steps: ArraySlice<ImagePlan.Step>, to image: consuming VipsImageHandle) throws -> VipsImageHandle {
        var image = image
        for step in steps { image = try applying(step, to: image) }
        return image
    }

    private func applying(_ step: ImagePlan.Step, to image: borrowing VipsImageHandle) throws -> VipsImageHandle {
        switch step {
        case .orient(let orientation):
            try decoder.oriented(image, orientation)
        case .scale(let size):
            try decoder.scale(image, to: size)
        case .crop(let area):
            try image.applying("extract_area") {
                cvips_extract_area(
                    $0,
                    $1,
                    CInt(area.x),
                    CInt(area.y),
                    CInt(area.size.width),
                    CInt(area.size.height)
                )
            }
        case .rotate(let degrees, let background, let size):
            try rotated(image, by: degrees, on: background, to: size)
        case .blur(let radius, let sigma):
            // Stored in memory after each blur; otherwise every blur would compute the previous ones again for each of
            // its strips.
            try watch.materialized(blurred(image, radius: radius, sigma: sigma))
        case .sharpen:
            try watch.materialized(image.colored().applying("sharpen", cvips_sharpen))
        case .flatten(let color):
            try image.colored().flattened(on: color)
        case .watermark(let watermark):
            try marked(image.colored(), with: watermark)
        }
    }

    private func blurred(
        _ image: borrowing VipsImageHandle,
        radius: Int,
        sigma: Double
    ) throws(VipsError) -> VipsImageHandle {
        // The mask ends where the Gaussian has fallen to the amplitude: at the radius, or where it is no longer
        // visible.
        let amplitude = max(0.002, exp(-Double(radius * radius) / (2 * sigma * sigma)))
        // Transparent pixels have a colour too, which must not become visible.
        let plain = try image.hasAlpha ? image.applying("premultiply", cvips_premultiply) : image.shared()
        let blurred = try plain.applying("gaussblur") { cvips_gaussblur($0, $1, sigma, amplitude) }
        let result = try image.hasAlpha ? blurred.applying("unpremultiply", cvips_unpremultiply) : blurred.shared()
        return try result.applying("rint", cvips_rint).applying("cast", cvips_cast_uchar)
    }

    private func rotated(
        _ image: borrowing VipsImageHandle,
        by degrees: Int,
        on background: Color,
        to size: ImageSize
    ) throws -> VipsImageHandle {
        let image = try watch.materialized(image).colored()
        let numbers = try VipsNumbers(background, for: image)
        return try watch.materialized(image.turned(by: degrees, onto: size, numbers.pointer))
    }
}

extension VipsImageHandle {
    /// The image with red, green and blue channels, converted if it is grey.
    func colored() throws(VipsError) -> VipsImageHandle {
        try bands >= 3 ? shared() : applying("colourspace", cvips_colourspace_srgb)
    }

    /// The image in colour on a background, if it has transparency.
    func flattened(on color: Color) throws(VipsError) -> VipsImageHandle {
        guard hasAlpha else { return shared() }
        let array = [Double(color.red), Double(color.green), Double(color.blue)]
        guard let numbers = vips_array_double_new(array, 3) else { throw VipsError.take("array") }
        defer { cvips_array_unref(numbers) }
        return try applying("flatten") { cvips_flatten($0, $1, numbers) }
    }

    /// The image rotated clockwise around its centre, on a canvas.
    func turned(
        by degrees: Int,
        onto size: ImageSize,
        _ background: UnsafeMutablePointer<VipsArrayDouble>
    ) throws(VipsError) -> VipsImageHandle {
        let right = [0: VIPS_ANGLE_D0, 90: VIPS_ANGLE_D90, 180: VIPS_ANGLE_D180, 270: VIPS_ANGLE_D270]
        if let angle = right[degrees % 360] { return try turned(angle) }
        let angle = Double(degrees) * .pi / 180
        return try applying("affine") {
            cvips_rotate($0, $1, sin(angle), cos(angle), CInt(size.width), CInt(size.height), background)
        }
    }

    /// The image rotated clockwise by a right angle; unchanged for `nil`.
    func turned(_ angle: VipsAngle?) throws(VipsError) -> VipsImageHandle {
        guard let angle else { return shared() }
        return try applying("rot") { cvips_rot($0, $1, angle) }
    }
}
