extension ImagePlan {
    /// Plans an image request.
    ///
    /// - Parameters:
    ///   - request: The request; at least one of its operators renders an image.
    ///   - header: The header of the image.
    ///   - automatic: Formats that the client accepts, best first; used if the request names no format.
    ///   - limits: The limits on sources, results and animations.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` or ``ServiceError/Code/badImageRequest``, naming the limit or the
    ///   parameter.
    package init(
        _ request: ImageRequest,
        of header: ImageHeader,
        automatic: [ImageFormat] = [],
        limits: ImageLimits
    ) throws {
        try limits.checkSource(header.size)
        var draft = PlanDraft(header: header, limits: limits)
        let operators = request.withoutInformation.operators
        for (index, operation) in operators.enumerated() {
            do {
                var next = draft
                try next.apply(operation)
                // No later operator makes the result smaller, so the failure belongs to this operator.
                if operation.ignoresErrors, index == operators.count - 1 { try limits.checkResult(next.size) }
                draft = next
            } catch  where operation.ignoresErrors {
                continue
            }
        }
        self = try draft.plan(
            automatic: automatic,
            isAlone: operators.count == 1,
            ignoresErrors: operators.first?.ignoresErrors ?? false
        )
    }
}
