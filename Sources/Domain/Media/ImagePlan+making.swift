extension ImagePlan {
    /// Plans a request for an image.
    ///
    /// - Parameters:
    ///   - request: At least one of its operators makes an image.
    ///   - header: What the image says of itself.
    ///   - automatic: Formats that the client takes, best first, of which one is chosen if the request says none.
    ///   - limits: What sources, results and animations are held to.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` or ``ServiceError/Code/badImageRequest``, naming the limit or the
    ///   word.
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
                // Nothing behind the last one makes its result smaller, so it is this operator's failure.
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
