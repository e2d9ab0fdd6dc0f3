internal import CVips
internal import Domain
internal import NIOCore

/// Samples frames of an image; synchronous, on one thread.
///
/// An image is decoded at its full size, from top to bottom: the scores of the classifier depend on single pixels, and
/// a decoder that scales down gives others than the model's reference. Only some rows are in memory.
struct FrameSampler {
    let header: ImageHeader
    let watch: JobWatch

    /// libvips computes that many rows at once.
    private static let strip = 32

    /// The size at which the worker process decodes its formats.
    static func size(of header: ImageHeader) -> ImageSize {
        ImageSize(
            width: min(header.size.width, LumaReducer.side),
            height: min(header.size.height, LumaReducer.side)
        )
    }

    /// Samples frames.
    ///
    /// - Parameters:
    ///   - input: The image.
    ///   - frames: As in ``ImageRenderer/samples(of:frames:with:until:)``.
    /// - Returns: One sample for each frame.
    /// - Throws: ``ServiceError/Code/notAnImage``, ``ServiceError/Code/imageTooLarge``, and the errors of
    ///   ``JobWatch/check()``.
    func samples(of input: ImageDecoder.Input, frames: [Int]) throws -> [ImageSample] {
        try watch.reading {
            guard case .encoded(let bytes) = input, let last = frames.last, last > 0 else {
                return try frames.isEmpty ? [] : [still(input)]
            }
            return try moving(bytes, frames: frames, last: last)
        }
    }

    private var decoder: ImageDecoder { ImageDecoder(header: header, effort: .fast, watch: watch) }

    private func still(_ input: ImageDecoder.Input) throws -> ImageSample {
        try sample(decoder.open(input, isUpright: false, size: nil))
    }

    /// Decodes all frames up to the last sampled one, one at a time: most of them are changes of the one before.
    private func moving(_ bytes: SourceBytes, frames: [Int], last: Int) throws -> [ImageSample] {
        let size = header.size
        guard size.height * (last + 1) < VIPS_MAX_COORD else {
            throw ServiceError(.imageTooLarge, "The image has more frames than can be sampled.")
        }
        let all = try decoder.openFrames(bytes, count: last + 1)
        guard all.size == ImageSize(width: size.width, height: size.height * (last + 1)) else {
            throw VipsError(operation: "frames", detail: "")
        }
        var samples: [ImageSample] = []
        for index in 0...last {
            guard frames.contains(index) else {
                // Decodes the frame. libvips would do so anyway, but could not be stopped between frames.
                try forEachRow(of: all, index * size.height..<index * size.height + 1) { _, _ in }
                continue
            }
            let frame = try all.applying("extract_area") {
                cvips_extract_area($0, $1, 0, CInt(index * size.height), CInt(size.width), CInt(size.height))
            }
            samples.append(try sample(decoder.scale(frame, to: size)))
        }
        return samples
    }

    private func sample(_ image: borrowing VipsImageHandle) throws -> ImageSample {
        let flat = try image.colored().flattened(on: .white)
        guard flat.bands == 3, vips_image_get_format(flat.pointer) == VIPS_FORMAT_UCHAR else {
            throw VipsError(operation: "sample", detail: "\(flat.bands) channels")
        }
        var square = SquareResampler(of: flat.size)
        var luma = LumaReducer(of: flat.size)
        try forEachRow(of: flat, 0..<flat.size.height) { row, y in
            square.add(row, at: y)
            luma.add(row, at: y)
        }
        let orientation = Orientation(value: header.orientation)
        let side = ImageSize(width: ImageSample.side, height: ImageSample.side)
        let pixels = orientation.applied(to: square.pixels, size: side, bands: 3).values
        let plane = orientation.applied(to: luma.plane.values, size: luma.size, bands: 1)
        return ImageSample(
            pixels: try compressed(pixels, side),
            hash: PDQ.hash(of: LumaPlane(size: plane.size, values: plane.values))
        )
    }

    /// Computes rows of an image and passes on the first pixel and the index of each.
    private func forEachRow(
        of image: borrowing VipsImageHandle,
        _ rows: Range<Int>,
        _ body: (UnsafePointer<UInt8>, Int) -> Void
    ) throws {
        guard let region = vips_region_new(image.pointer) else { throw VipsError.take("region") }
        defer { g_object_unref(region) }
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: Self.strip) {
            try watch.check()
            let height = min(Self.strip, rows.upperBound - top)
            var area = VipsRect(left: 0, top: CInt(top), width: CInt(image.size.width), height: CInt(height))
            guard vips_region_prepare(region, &area) == 0 else { throw VipsError.take("rows") }
            for y in top..<top + height {
                guard let row = cvips_region_row(region, CInt(y)) else { throw VipsError(operation: "row", detail: "") }
                body(row, y)
            }
        }
    }

    /// The pixels after a compression as JPEG.
    private func compressed(_ pixels: [UInt8], _ size: ImageSize) throws -> ByteBuffer {
        let image = try VipsImageHandle(pixels[...], size: size, bands: 3)
        let target = try VipsTargetHandle()
        guard cvips_jpegsave(image.pointer, target.pointer, 75, 0, 1) == 0 else { throw VipsError.take("save sample") }
        let jpeg = try target.withBytes { Array($0) }
        return try jpeg.withUnsafeBytes { bytes in
            let image = try VipsImageHandle(VipsSourceHandle(.memory(bytes), watch: nil))
            var count = 0
            guard let memory = vips_image_write_to_memory(image.pointer, &count) else { throw VipsError.take("sample") }
            defer { g_free(memory) }
            guard count == ImageSample.pixelCount else { throw VipsError(operation: "sample", detail: "\(count)") }
            return ByteBuffer(bytes: UnsafeRawBufferPointer(start: memory, count: count))
        }
    }
}
