/// Limits on the images that are read and made, each a setting; defaults are Qiniu's (file-protocol 5.9).
package struct ImageLimits: Sendable {
    /// The most bytes of a source.
    package var sourceSize: Int64
    /// The most pixels on either side of a source.
    package var sourceSide: Int
    /// The most pixels of a source, all its pages together.
    package var sourcePixels: Int
    /// The most pixels on either side of a result.
    package var resultSide: Int
    /// The most pixels of a result.
    package var resultPixels: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        sourceSize: Int64 = 20 << 20,
        sourceSide: Int = 30_000,
        sourcePixels: Int = 150_000_000,
        resultSide: Int = 9_999,
        resultPixels: Int = 25_000_000
    ) {
        self.sourceSize = sourceSize
        self.sourceSide = sourceSide
        self.sourcePixels = sourcePixels
        self.resultSide = resultSide
        self.resultPixels = resultPixels
    }

    /// Refuses a request whose result is known to be too large before any source is looked at.
    func check(_ request: ImageRequest) throws {
        guard request.fit == .cover, let width = request.width, let height = request.height else { return }
        guard width * height <= resultPixels else {
            throw ImageRequest.refusal(
                "the result would have \(width * height) pixels; the limit is \(resultPixels) (images.maxResultPixels)"
            )
        }
    }

    /// Refuses a source by its header.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    package func checkSource(width: Int, height: Int, pages: Int) throws {
        guard width <= sourceSide, height <= sourceSide else {
            throw tooLarge(
                "The image has \(width)x\(height) pixels; the limit is \(sourceSide) a side (images.maxSourceSide)."
            )
        }
        let (area, overflow) = (width * height).multipliedReportingOverflow(by: max(1, pages))
        guard !overflow, area <= sourcePixels else {
            throw tooLarge("The image has \(area) pixels; the limit is \(sourcePixels) (images.maxSourcePixels).")
        }
    }

    /// Refuses a result by its size, once the source's shape has told it.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    package func checkResult(width: Int, height: Int) throws {
        guard width * height <= resultPixels else {
            throw tooLarge(
                "The result has \(width * height) pixels; the limit is \(resultPixels) (images.maxResultPixels)."
            )
        }
    }

    private func tooLarge(_ sentence: String) -> ServiceError {
        ServiceError(.imageTooLarge, sentence)
    }
}
