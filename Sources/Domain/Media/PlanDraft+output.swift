extension PlanDraft {
    /// The most steps of a plan, whatever the operators are that they come from: each takes its time.
    private static let maxSteps = 48

    /// The plan that all operators lead to.
    ///
    /// - Parameters:
    ///   - automatic: Formats of which one is chosen if no operator says one.
    ///   - isAlone: Whether there is one operator only.
    ///   - ignoresErrors: Whether the first one does: then the source is the answer if it is too large for a result.
    /// - Returns: The plan, held to the limits.
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
        let isTooLarge = !limits.allowResult(size)
        // As it came: turning it upright makes it no larger.
        let isWhole = size == header.size || size == header.uprightSize
        let isKept = isSlim && header.format != .jpeg && header.format != .png
        let isReturned = isKept || isTooLarge && (isSlim || ignoresErrors && isWhole)
        if !isReturned { try limits.checkResult(size) }
        return ImagePlan(
            steps: draft.steps,
            output: draft.output(result, isAlone: isAlone),
            frames: isMoving && result.canBeAnimated ? header.frames : 1,
            size: size,
            largestSize: largest.area > size.area ? largest : size,
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
            // Not the source's own: an image that is worse already does not become smaller, and stays as it is.
            if format == .jpeg { output.quality = isAlone ? 75 : min(output.quality, 75) }
            if format == .png {
                output.colors = 256
                output.compression = min(9, slimLevel)
            }
        }
        return output
    }

    /// A higher quality than the source's would only preserve its artefacts (protocol/files 5.3).
    private func quality(as format: ImageFormat) -> Int {
        let asked = encoding.quality ?? (format == .avif ? 55 : isLegacy ? 85 : 75)
        guard !isLegacy, !encoding.isQualityForced, format == .jpeg || format == .webp,
            let own = header.quality, own <= 90
        else { return asked }
        let worth = Double(own) * (Double(header.size.area) / Double(size.area)).squareRoot()
        return min(asked, max(1, Int(min(90, worth).rounded())))
    }
}
