internal import Domain

/// Downscales a JPEG of one scan faster than libvips: libjpeg-turbo decodes it at a scale in eighths, and zimg
/// resamples it with vector instructions.
///
/// For unsupported files the results are `nil` or `false`, never an error: the caller then uses libvips, which also
/// reports the error of a damaged file.
struct JPEGShrinker: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let decoder: TurboDecoder
    private let scale: ShrinkScale
    private let size: ImageSize

    /// The bands of the result: 3, or 1 for grey.
    let bands: Int

    /// Reads the header; `nil` for unsupported files.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, which must stay valid while this value is used.
    ///   - source: The known size of the file, before any orientation.
    ///   - size: The size of the result, before any orientation.
    init?(_ bytes: UnsafeRawBufferPointer, of source: ImageSize, to size: ImageSize) {
        guard let scale = ShrinkScale(from: source, to: size), JPEGLines.canRead(bytes),
            let decoder = TurboDecoder(bytes), decoder.size == source
        else { return nil }
        bands = decoder.subsampling == .grey ? 1 : 3
        self.bytes = bytes
        self.decoder = decoder
        self.scale = scale
        self.size = size
    }

    /// Decodes and resamples; uses the memory of ``memoryEstimate(of:to:)``.
    ///
    /// - Parameters:
    ///   - pixels: The buffer for the result: rows without padding, ``bands`` bytes for each pixel, exactly as large.
    ///   - mustStop: Whether the job must stop. TurboJPEG's decoding to planes cannot be stopped: the check follows it.
    /// - Returns: Whether all pixels are written; after `false`, the content of the buffer is undefined.
    func draw(into pixels: UnsafeMutableRawBufferPointer, mustStop: () -> Bool) -> Bool {
        let source = scale.source(decoder.size, decoder.subsampling)
        guard !mustStop(), let resampler = PlaneResampler(source, to: size) else { return false }
        if source.isInLines {
            guard let lines = JPEGLines(bytes, at: scale.eighths, of: source.size, isGrey: bands == 1) else {
                return false
            }
            return resampler.run(lines, into: pixels, mustStop: mustStop) && lines.finish()
        }
        guard let planes = Planes(source.layouts), decoder.decode(at: source.size, into: planes), !mustStop() else {
            return false
        }
        return resampler.run(planes, into: pixels, mustStop: mustStop)
    }

    /// An upper estimate of the bytes that ``draw(into:mustStop:)`` uses besides the file and the result.
    ///
    /// - Parameters:
    ///   - source: The size of the file.
    ///   - size: The size of the result.
    /// - Returns: `nil` if a ``JPEGShrinker`` does not support these sizes.
    static func memoryEstimate(of source: ImageSize, to size: ImageSize) -> Int? {
        guard let scale = ShrinkScale(from: source, to: size) else { return nil }
        // Before the subsampling is known, the worst case counts: none, or the one with the most rounding.
        let decoded = scale.source(source, .none)
        let rounded = Planes.Layout(width: decoded.size.width + 64, rows: decoded.size.height + 4)
        let planes = decoded.isInLines ? 0 : 3 * Planes.memoryEstimate([rounded])
        // libjpeg processes some rows of blocks at a time, with up to 32 further columns.
        let rows = 3 * 128 * (source.width + 32)
        return planes + PlaneResampler.memoryEstimate(decoded, to: size) + rows + 65_536
    }
}
