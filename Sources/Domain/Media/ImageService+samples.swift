extension ImageService {
    /// Frames of an image for checks of its content, decoded within all limits on images, as a job of low priority.
    ///
    /// - Parameters:
    ///   - origin: The source.
    ///   - count: The maximum number of frames; they are at equal distances, beginning with the first.
    /// - Returns: The frames.
    /// - Throws: The errors of rendering an image.
    package func samples(of origin: ImageOrigin, atMost count: Int) async throws -> ImageSamples {
        let requester = requester(of: origin, from: nil)
        return try await admission.admit(for: requester) { permit in
            let image = try await open(origin, for: requester)
            // The decoder does almost all of the work, as for a small thumbnail.
            let thumbnail = ImageRequest([.view(ImageView(mode: .inside, width: 64, height: 64))])
            let plan = try ImagePlan(thumbnail, of: image.header, limits: settings.limits)
            var cost = try cost(of: plan, image.header)
            let frames = ImageService.sampled(image.header, atMost: count)
            cost.time = cost.time * frames.count
            let source = try await fetch(image)
            let samples = try await renderer.reserving(for: [image.header], cost.time, requester) { [cost] _ in
                try await permit.run(cost, atMost: .low) { priority in
                    try await renderer.samples(
                        of: source,
                        frames: frames,
                        with: priority,
                        until: .now + settings.limits.time(for: cost.time)
                    )
                }
            }
            return ImageSamples(frames: samples, hasUnreadFrames: image.header.hasUnreadFrames)
        }
    }

    /// The frames to sample; of formats that the worker process decodes, only the first.
    private static func sampled(_ header: ImageHeader, atMost count: Int) -> [Int] {
        let frames = header.format.isDecodedByWorker ? 1 : max(1, header.frames)
        let sampled = min(frames, max(1, count))
        return (0..<sampled).map { $0 * frames / sampled }
    }
}
