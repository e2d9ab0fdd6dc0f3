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
            var cost = try decodingCost(of: image.header)
            let frames = ImageService.sampled(image.header, atMost: count)
            // The frames are decoded one at a time, and those before a sampled one too, because most of them are
            // changes of the one before.
            cost.time = cost.time * ((frames.last ?? 0) + 1)
            let copied = try await copied(image)
            let samples = try await renderer.reserving(for: [image.header], cost.time, requester) { [cost] _ in
                try await permit.run(cost, atMost: .low) { priority in
                    try await renderer.samples(
                        of: try await fetch(copied),
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
