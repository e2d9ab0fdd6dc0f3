internal import CZimg
internal import Domain

/// Resamples byte planes or lines to red, green and blue, or grey, at another size, with Lanczos 3 (zimg).
///
/// A zimg graph does not change while it runs and shares no state: each job has its own graph on its own thread.
struct PlaneResampler: ~Copyable {
    private let source: Source
    private let size: ImageSize
    private let graph: ResampleGraph
    private let needs: ResampleGraph.Needs
    private let temporary: AlignedMemory
    /// The rows that zimg reads if the source consists of lines.
    private let incoming: Planes
    /// The rows that zimg writes.
    private let outgoing: Planes

    /// The pixels to resample.
    struct Source: Sendable {
        let subsampling: ChromaSubsampling
        /// Whether the source is ``JPEGLines`` instead of planes.
        let isInLines: Bool
        /// The size of the decoder's output in whole pixels.
        let size: ImageSize
        /// The part of the output that is the image, from the upper left corner.
        let region: (width: Double, height: Double)

        /// The bands of the result: 1 or 3.
        var bands: Int { subsampling == .grey ? 1 : 3 }
        /// The size of the first plane, including the padding to whole chroma samples.
        var paddedSize: ImageSize {
            layouts.first.map { ImageSize(width: $0.width, height: $0.rows) } ?? size
        }
        /// The layouts of the planes; empty for lines.
        var layouts: [Planes.Layout] { isInLines ? [] : subsampling.layouts(of: size) }
    }

    /// Creates the zimg graph.
    ///
    /// `nil` if zimg refuses these sizes, if it needs more than ``memoryEstimate(_:to:)``, or if no memory is left.
    init?(_ source: Source, to size: ImageSize) {
        guard let graph = ResampleGraph(source, to: size), let needs = graph.needs() else { return nil }
        let read = PlaneResampler.window(
            source.paddedSize,
            rows: needs.incomingMask,
            count: source.isInLines ? source.bands : 0
        )
        let written = PlaneResampler.window(size, rows: needs.outgoingMask, count: source.bands)
        guard needs.temporary >= 0, needs.temporary <= PlaneResampler.memoryEstimate(source, to: size),
            Planes.memoryEstimate(read) + Planes.memoryEstimate(written) <= PlaneResampler.memoryEstimate(
                source,
                to: size
            ) - needs.temporary,
            let temporary = AlignedMemory(count: needs.temporary),
            let incoming = Planes(read),
            let outgoing = Planes(written)
        else { return nil }
        self.source = source
        self.size = size
        self.graph = graph
        self.needs = needs
        self.temporary = temporary
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// Resamples planes to rows without padding.
    ///
    /// - Parameters:
    ///   - planes: The pixels, with the layouts of the source.
    ///   - pixels: The buffer for exactly the result.
    ///   - mustStop: Checked every few rows.
    /// - Returns: Whether the whole result is written.
    func run(_ planes: borrowing Planes, into pixels: UnsafeMutableRawBufferPointer, mustStop: () -> Bool) -> Bool {
        guard !source.isInLines, planes.layouts == source.layouts else { return false }
        var from = zimg_image_buffer_const()
        for plane in 0..<source.bands {
            let stride = planes.layouts[plane].stride
            czimg_set_source(&from, CInt(plane), planes.start(plane), stride, CUnsignedInt.max)
        }
        return run(&from, lines: nil, into: pixels, mustStop: mustStop)
    }

    /// Resamples lines, which are decoded when zimg requests them; otherwise as for planes.
    func run(_ lines: JPEGLines, into pixels: UnsafeMutableRawBufferPointer, mustStop: () -> Bool) -> Bool {
        guard source.isInLines, lines.size == source.size else { return false }
        var from = zimg_image_buffer_const()
        for plane in 0..<source.bands {
            let stride = incoming.layouts[plane].stride
            czimg_set_source(&from, CInt(plane), incoming.start(plane), stride, needs.incomingMask)
        }
        return run(&from, lines: lines, into: pixels, mustStop: mustStop)
    }

    private func run(
        _ from: inout zimg_image_buffer_const,
        lines: JPEGLines?,
        into pixels: UnsafeMutableRawBufferPointer,
        mustStop: () -> Bool
    ) -> Bool {
        guard pixels.count == size.area * source.bands,
            let target = pixels.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        var to = zimg_image_buffer()
        from.version = czimg_version()
        to.version = czimg_version()
        for plane in 0..<source.bands {
            let stride = outgoing.layouts[plane].stride
            czimg_set_target(&to, CInt(plane), outgoing.start(plane), stride, needs.outgoingMask)
        }
        let incoming = ResampleRows.Window(incoming, mask: needs.incomingMask)
        let outgoing = ResampleRows.Window(outgoing, mask: needs.outgoingMask)
        return withoutActuallyEscaping(mustStop) { mustStop in
            let rows = ResampleRows(
                lines: lines,
                incoming: incoming,
                outgoing: outgoing,
                target: target,
                size: size,
                bands: source.bands,
                mustStop: mustStop
            )
            return graph.run(&from, &to, temporary: temporary, rows: rows)
        }
    }

    private static func window(_ size: ImageSize, rows mask: CUnsignedInt, count: Int) -> [Planes.Layout] {
        let rows = min(size.height, Int(mask) + 1)
        return [Planes.Layout](repeating: Planes.Layout(width: size.width, rows: rows), count: count)
    }
}

extension PlaneResampler {
    /// An upper estimate of the bytes that a job uses besides its source and its result.
    ///
    /// For each band, zimg stores a power of two of rows, as many as Lanczos needs: 16-bit values, and floats for
    /// chroma planes, which are smaller. The rest are the weights and the rows that callbacks fill.
    static func memoryEstimate(_ source: Source, to size: ImageSize) -> Int {
        let across = reach(source.paddedSize.width, size.width)
        let down = reach(source.paddedSize.height, size.height)
        var rows = 1
        while rows < down + 64 { rows *= 2 }
        let widest = AlignedMemory.aligned(max(source.paddedSize.width, size.width)) + 128
        let weights = 16 * (size.width * across + size.height * down)
        // In measurements at most a third of this was used.
        return 65_536 + 4 * source.bands * widest * rows + weights
    }

    /// The number of source pixels that contribute to one result pixel, in one direction.
    private static func reach(_ source: Int, _ result: Int) -> Int {
        min(source, 6 * (source / max(1, result) + 1)) + 4
    }
}
