internal import Domain

/// Makes a JPEG of one scan smaller on a shorter way than libvips': libjpeg-turbo decodes it at some eighths of its
/// size, zimg does the rest with vector instructions.
///
/// Everything that is not for this way is nothing or false, never an error: the caller then lets libvips do it, which
/// also says what is wrong with a broken file.
struct JPEGShrinker: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let decoder: TurboDecoder
    private let scale: ShrinkScale
    private let size: ImageSize

    /// Of the result: 3, or 1 for grey.
    let bands: Int

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, which stays there while this value is used.
    ///   - source: The size that the file is known to have, as the pixels lie.
    ///   - size: The size that the result gets, as the pixels lie.
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

    /// Decodes and resamples; takes as much memory as ``memoryEstimate(of:to:)`` says.
    ///
    /// - Parameters:
    ///   - pixels: Where the result goes: rows without padding, ``bands`` bytes for each pixel, exactly as large.
    ///   - mustStop: Whether no client waits any more. TurboJPEG, for planes, cannot be stopped: the check follows it.
    /// - Returns: Whether all pixels are written; after false, anything is in that memory.
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

    /// The bytes that ``draw(into:mustStop:)`` takes besides the file and the result, rather more than less.
    ///
    /// - Parameters:
    ///   - source: The file's size.
    ///   - size: The result's.
    /// - Returns: `nil` if this is not for a ``JPEGShrinker``.
    static func memoryEstimate(of source: ImageSize, to size: ImageSize) -> Int? {
        guard let scale = ShrinkScale(from: source, to: size) else { return nil }
        // What the header did not say yet is the dearest: no subsampling, or that which rounds up most.
        let decoded = scale.source(source, .none)
        let rounded = Planes.Layout(width: decoded.size.width + 64, rows: decoded.size.height + 4)
        let planes = decoded.isInLines ? 0 : 3 * Planes.memoryEstimate([rounded])
        // libjpeg works on some blocks of rows at a time, and then on up to 32 columns more than there are.
        let rows = 3 * 128 * (source.width + 32)
        return planes + PlaneResampler.memoryEstimate(decoded, to: size) + rows + 65_536
    }
}
