internal import Domain

/// How many eighths of its size a JPEG is decoded at, and in which colours, before it is resampled.
///
/// The rule keeps to what is as good as libvips by SSIMULACRA2, means of five photographs in 4:4:4: 53.9 against 53.5
/// at 200 pixels, 75.2 against 75.0 at 512, 81.4 against 81.3 at 1600; in 4:2:0, 54.1 against 53.4 at 200 and 75.3
/// against 75.1 at 512.
///
/// - An image shrunk to a quarter or less is decoded at 3/8, to an eighth at 2/8, to a sixteenth at 1/8: each time at
///   one and a half times the pixels that are wanted, or more. With fewer, scores fall: 73.6 at 512 pixels with 2/8.
/// - 4/8 is never used, because libjpeg's way to it is old and coarse: 3/8 scores no less, with fewer pixels. 5/8 and
///   6/8 would save up to a quarter of the time that the whole takes, but score up to 0.1 less than libvips.
/// - The whole is made red, green and blue before it is resampled: that cuts off what these cannot be, as libvips and
///   the best possible image do, 81.4 instead of 81.1 at 1600 pixels. So are 1/8 and 2/8, where that costs little and
///   keeps more of 4:2:0's colour. At 3/8 samples of colour score the same and take a fifth less time.
struct ShrinkScale: Sendable, Hashable {
    /// 1, 2, 3 or 8.
    let eighths: Int

    /// How often the result fits into the source from which on so many eighths are enough.
    private static let steps = [(fits: 16, eighths: 1), (fits: 8, eighths: 2), (fits: 4, eighths: 3)]

    /// `nil` if the result is not smaller on both sides.
    init?(from source: ImageSize, to size: ImageSize) {
        // TurboJPEG tells the eighths from the sides, the longer of which must have eight pixels for that.
        guard size.width > 0, size.height > 0, size.width < source.width, size.height < source.height,
            max(source.width, source.height) >= 8, max(source.width, source.height) <= 65_535
        else { return nil }
        let step = ShrinkScale.steps.first {
            source.width >= $0.fits * size.width && source.height >= $0.fits * size.height
        }
        eighths = step?.eighths ?? 8
    }

    /// What the decoder makes of an image.
    func source(_ size: ImageSize, _ subsampling: ChromaSubsampling) -> PlaneResampler.Source {
        // 4:1:1 at 3/8 has too few samples of colour for the result.
        let isInLines = eighths != 3 || (subsampling.shifts?.across ?? 0) > 1
        return PlaneResampler.Source(
            subsampling: subsampling,
            isInLines: isInLines,
            size: ImageSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8),
            region: (Double(size.width * eighths) / 8, Double(size.height * eighths) / 8)
        )
    }
}
