internal import CVips
internal import Domain
internal import NIOCore

/// One job from source to encoded derivative; synchronous, on one thread, without shared state.
struct ImageJob {
    let plan: ImagePlan
    let header: ImageHeader
    let watch: JobWatch
    /// The images of watermarks, by their keys.
    let marks: [FileKey: Mark]

    /// A watermark image.
    typealias Mark = (header: ImageHeader, input: ImageDecoder.Input)

    /// Executes the plan.
    ///
    /// - Throws: ``ServiceError/Code/notAnImage``, also for a damaged source, which shows only while the result is
    ///   written; the errors of ``JobWatch/check()``.
    func run(_ input: ImageDecoder.Input) throws -> RenderedImage {
        try watch.reading {
            let image = try plan.frames > 1 ? moving(input) : still(input)
            let bytes = try ImageEncoder(output: plan.output, watch: watch).encode(image)
            return RenderedImage(bytes: bytes, format: plan.output.format)
        }
    }

    var decoder: ImageDecoder { ImageDecoder(header: header, effort: plan.output.effort, watch: watch) }

    private func still(_ input: ImageDecoder.Input) throws -> VipsImageHandle {
        var steps = plan.steps[...]
        var isUpright = false
        if case .orient? = steps.first {
            isUpright = true
            steps.removeFirst()
        }
        var size: ImageSize?
        if case .scale(let first)? = steps.first {
            size = first
            steps.removeFirst()
        }
        let image = try decoder.open(input, isUpright: isUpright, size: size)
        return try applying(steps, to: withCopyright(of: input, image))
    }

    /// The image with its copyright metadata, which decoded pixels from a worker process lack.
    private func withCopyright(
        of input: ImageDecoder.Input,
        _ image: borrowing VipsImageHandle
    ) throws(VipsError) -> VipsImageHandle {
        guard plan.output.keepsCopyright, header.format != .bmp, !image.has("exif-data") else { return image.shared() }
        let texts = try copyright(of: input)
        guard !texts.isEmpty else { return image.shared() }
        let result = try image.unshared()
        ImageRights.attach(texts, to: result, hasOrientation: false)
        return result
    }

    private func copyright(of input: ImageDecoder.Input) throws(VipsError) -> [String: String] {
        if case .decoded(let decoded, _) = input, header.format.isReadByWorker { return decoded.copyright }
        return ImageRights.texts(of: try VipsImageHandle(VipsSourceHandle(input.bytes, watch: watch)))
    }

    /// Processes each frame separately, then stacks all frames vertically again.
    private func moving(_ input: ImageDecoder.Input) throws -> VipsImageHandle {
        guard case .encoded(let bytes) = input else { throw VipsError(operation: "frames", detail: "") }
        let all = try watch.materialized(decoder.openFrames(bytes))
        let size = header.size
        guard all.size == ImageSize(width: size.width, height: size.height * plan.frames) else {
            throw VipsError(operation: "frames", detail: "")
        }
        var frames: [UnsafeMutablePointer<VipsImage>?] = []
        defer { for frame in frames { g_object_unref(frame) } }
        for index in 0..<plan.frames {
            let frame = try all.applying("extract_area") {
                cvips_extract_area($0, $1, 0, CInt(index * size.height), CInt(size.width), CInt(size.height))
            }
            let plain = try decoder.scale(frame, to: size)
            let made = try watch.materialized(applying(plan.steps[...], to: plain))
            g_object_ref(made.pointer)
            frames.append(made.pointer)
        }
        var joined: UnsafeMutablePointer<VipsImage>?
        guard cvips_join_frames(&frames, &joined, CInt(frames.count)) == 0, let joined else {
            throw VipsError.take("arrayjoin")
        }
        let result = try VipsImageHandle(owning: joined).unshared()
        result.set("page-height", to: plan.size.height)
        result.set("n-pages", to: plan.frames)
        if let delays = all.numbers("delay") { result.set("delay", to: delays) }
        if let loop = all.number("loop") { result.set("loop", to: loop) }
        return result
    }
}

extension ServiceError {
    /// The error for a watermark's image that cannot be read; the cause is for the log.
    static func unreadableMark(_ cause: any Error) -> ServiceError {
        ServiceError(.notAnImage, "The watermark's image is not an image that can be read.", cause: cause)
    }
}
