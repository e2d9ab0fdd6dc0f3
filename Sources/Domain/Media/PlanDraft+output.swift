extension PlanDraft {
    /// The maximum number of steps of a plan, from all operators together.
    private static let maxSteps = 48

    /// The plan of all operators.
    ///
    /// - Parameters:
    ///   - automatic: Formats that are used if no operator names one.
    ///   - isAlone: Whether the chain has only one operator.
    ///   - ignoresErrors: Whether the first operator ignores errors: then the source is returned if it is too large for
    ///     a result.
    /// - Returns: The plan, checked against the limits.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` or ``ServiceError/Code/badImageRequest``.
    func plan(automatic: [ImageFormat], isAlone: Bool, ignoresErrors: Bool) throws -> ImagePlan {
        guard steps.count <= PlanDraft.maxSteps else {
            throw ImageRequest.refusal("the chain has \(steps.count) steps; the limit is \(PlanDraft.maxSteps)")
        }
        var draft = self
        let isMoving = draft.staysAnimated
        let isSlim = isAlone && slimLevel != nil
        let chosen = isSlim ? nil : format ?? automatic.first { !isMoving || $0.canBeAnimated }
        let result = chosen ?? header.format.ownResult(hasAlpha: hasAlpha)
        if result == .jpeg { draft.flatten() }
        // The URL does not name the format, so the image must look the same in every format.
        if format == nil, !strips, !result.keepsOrientation { draft.turnUpright() }
        let isTooLarge = !limits.allowResult(size)
        // Whether the size is the source's; applying the orientation does not change the number of pixels.
        let isWhole = size == header.size || size == header.uprightSize
        let isKept = isSlim && (header.hasUnreadFrames || header.format != .jpeg && header.format != .png)
        let isReturned = isKept || isTooLarge && (isSlim || ignoresErrors && isWhole)
        if !isReturned { try limits.checkResult(draft.size) }
        return ImagePlan(
            steps: draft.steps,
            output: draft.output(result, isAlone: isAlone),
            frames: isMoving && result.canBeAnimated ? header.frames : 1,
            size: draft.size,
            largestSize: largest.area > size.area ? largest : draft.size,
            changesNothing: isReturned
        )
    }

    private var staysAnimated: Bool {
        let area = max(header.size.area, largest.area)
        return !isStill && header.frames > 1 && header.frames <= limits.frames
            && area <= limits.animationPixels / header.frames
    }

    private func output(_ format: ImageFormat, isAlone: Bool) -> ImagePlan.Output {
        var output = ImagePlan.Output(format: format, quality: quality(as: format))
        output.isProgressive = encoding.isProgressive
        output.colors = format == .gif ? encoding.colors : nil
        output.sizeLimit = sizeLimit
        if !isUpright, !strips, format.keepsOrientation { output.orientation = header.orientation }
        if let slimLevel {
            output.mustShrink = isAlone
            // Not the source's quality: a source of lower quality does not become smaller and is returned unchanged.
            if format == .jpeg { output.quality = isAlone ? 75 : min(output.quality, 75) }
            if format == .png {
                output.colors = 256
                output.compression = min(9, slimLevel)
            }
        }
        return output
    }

    /// The quality of the result; a quality above the source's would only preserve its artefacts (protocol/files 5.3).
    private func quality(as format: ImageFormat) -> Int {
        let asked = encoding.quality ?? (format == .avif ? 55 : isLegacy ? 85 : 75)
        guard !isLegacy, !encoding.isQualityForced, format == .jpeg || format == .webp,
            let own = header.quality, own <= 90
        else { return asked }
        let worth = Double(own) * (Double(header.size.area) / Double(size.area)).squareRoot()
        return min(asked, max(1, Int(min(90, worth).rounded())))
    }
}
