internal import Domain

/// The scale in eighths and the colours at which a JPEG is decoded before it is resampled.
///
/// The rule accepts only scales that score no lower than libvips by SSIMULACRA2, means of five photographs in 4:4:4:
/// 53.9 against 53.5 at 200 pixels, 75.2 against 75.0 at 512, 81.4 against 81.3 at 1600; in 4:2:0, 54.1 against 53.4 at
/// 200 and 75.3 against 75.1 at 512.
///
/// - An image shrunk to a quarter or less is decoded at 3/8, to an eighth at 2/8, to a sixteenth at 1/8: each time at
///   one and a half times the result's sides, or more. With fewer pixels the score falls: 73.6 at 512 pixels with 2/8.
/// - 4/8 is never used, because libjpeg's algorithm for it is old and inaccurate: 3/8 scores no less, with fewer
///   pixels. 5/8 and 6/8 would save up to a quarter of the time of 8/8, but score up to 0.1 less than libvips.
/// - At 8/8 the pixels are converted to RGB before they are resampled: that clips values outside RGB, as libvips and
///   an ideal resampler do, and scores 81.4 instead of 81.1 at 1600 pixels. 1/8 and 2/8 are converted too, where that
///   costs little and preserves more of 4:2:0's chroma. At 3/8, resampling the chroma planes scores the same and takes
///   a fifth less time.
struct ShrinkScale: Sendable, Hashable {
    /// 1, 2, 3 or 8.
    let eighths: Int

    /// The minimum ratio of source to result for each number of eighths.
    private static let steps = [(fits: 16, eighths: 1), (fits: 8, eighths: 2), (fits: 4, eighths: 3)]

    /// `nil` if the result is not smaller on both sides.
    init?(from source: ImageSize, to size: ImageSize) {
        // TurboJPEG derives the eighths from the sides, the longer of which must have eight pixels for that.
        guard size.width > 0, size.height > 0, size.width < source.width, size.height < source.height,
            max(source.width, source.height) >= 8, max(source.width, source.height) <= 65_535
        else { return nil }
        let step = ShrinkScale.steps.first {
            source.width >= $0.fits * size.width && source.height >= $0.fits * size.height
        }
        eighths = step?.eighths ?? 8
    }

    /// The decoder's output for an image.
    func source(_ size: ImageSize, _ subsampling: ChromaSubsampling) -> PlaneResampler.Source {
        // 4:1:1 at 3/8 has too few chroma samples for the result.
        let isInLines = eighths != 3 || (subsampling.shifts?.across ?? 0) > 1
        return PlaneResampler.Source(
            subsampling: subsampling,
            isInLines: isInLines,
            size: ImageSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8),
            region: (Double(size.width * eighths) / 8, Double(size.height * eighths) / 8)
        )
    }
}
