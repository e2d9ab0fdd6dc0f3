internal import CVips
internal import Domain

/// Computes the mean colour of an image on a white background.
struct AverageColor {
    let header: ImageHeader
    let watch: JobWatch

    /// Small enough that decoders do most of the work, and large enough for an accurate mean.
    private static let side = 128

    /// The size at which the mean is computed.
    static func size(of header: ImageHeader) -> ImageSize {
        ImageSize(width: min(header.size.width, side), height: min(header.size.height, side))
    }

    func measure(_ input: ImageDecoder.Input) throws -> Color {
        try watch.reading {
            let size = AverageColor.size(of: header)
            let image = try ImageDecoder(header: header, effort: .fast, watch: watch).open(
                input,
                isUpright: false,
                size: size
            )
            let flat = try watch.materialized(image.colored().flattened(on: .white))
            return Color(red: try mean(flat, 0), green: try mean(flat, 1), blue: try mean(flat, 2))
        }
    }

    private func mean(_ image: borrowing VipsImageHandle, _ band: Int) throws(VipsError) -> UInt8 {
        let plane = try image.applying("extract_band") { cvips_extract_bands($0, $1, CInt(band), 1) }
        var mean = 0.0
        guard cvips_mean(plane.pointer, &mean) == 0 else { throw VipsError.take("avg") }
        return UInt8(min(255, max(0, mean.rounded())))
    }
}
