/// Limits on the images that are read and made, each a setting; defaults are Qiniu's or better (protocol/files 5.9).
package struct ImageLimits: Sendable {
    /// The most bytes of a source (`images.maxSourceSize`).
    package var sourceSize: Int64
    /// The most pixels on either side of a source (`images.maxSourceSide`).
    package var sourceSide: Int
    /// The most pixels of a source, of one frame (`images.maxSourcePixels`).
    package var sourcePixels: Int
    /// The most pixels on either side of a result (`images.maxResultSide`).
    package var resultSide: Int
    /// The most pixels of a result, of one frame (`images.maxResultPixels`).
    package var resultPixels: Int
    /// The most frames that stay animated; of more, the first one is shown (`images.maxFrames`).
    package var frames: Int
    /// The most pixels of an animation, all frames together, in the source and in the result; of more, the first frame
    /// is shown (`images.maxAnimationPixels`).
    package var animationPixels: Int
    /// The most operators of a chain (`images.maxOperators`).
    package var operators: Int
    /// The most characters of a watermark's text (`images.maxTextLength`).
    package var textLength: Int
    /// Seconds for one job, from when it starts (`images.timeout`).
    package var timeout: Int
    /// The most estimated processor time of one job, in milliseconds on the reference machine (`images.maxWork`).
    package var work: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        sourceSize: Int64 = 20 << 20,
        sourceSide: Int = 30_000,
        sourcePixels: Int = 150_000_000,
        resultSide: Int = 9_999,
        resultPixels: Int = 25_000_000,
        frames: Int = 200,
        animationPixels: Int = 60_000_000,
        operators: Int = 16,
        textLength: Int = 1000,
        timeout: Int = 30,
        work: Int = 15_000
    ) {
        self.sourceSize = sourceSize
        self.sourceSide = sourceSide
        self.sourcePixels = sourcePixels
        self.resultSide = resultSide
        self.resultPixels = resultPixels
        self.frames = frames
        self.animationPixels = animationPixels
        self.operators = operators
        self.textLength = textLength
        self.timeout = timeout
        self.work = work
    }

    /// Refuses a source by its header.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    func checkSource(_ size: ImageSize) throws {
        guard size.width <= sourceSide, size.height <= sourceSide else {
            throw tooLarge("The image has \(size) pixels; the limit is \(sourceSide) a side (images.maxSourceSide).")
        }
        guard size.area <= sourcePixels else {
            throw tooLarge("The image has \(size.area) pixels; the limit is \(sourcePixels) (images.maxSourcePixels).")
        }
    }

    /// Refuses what a step would make by its size.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    func checkResult(_ size: ImageSize) throws {
        guard size.width <= resultSide, size.height <= resultSide else {
            throw tooLarge("The result has \(size) pixels; the limit is \(resultSide) a side (images.maxResultSide).")
        }
        guard size.area <= resultPixels else {
            throw tooLarge("The result has \(size.area) pixels; the limit is \(resultPixels) (images.maxResultPixels).")
        }
    }

    /// Whether ``checkResult(_:)`` lets a size pass.
    func allowResult(_ size: ImageSize) -> Bool {
        size.width <= resultSide && size.height <= resultSide && size.area <= resultPixels
    }

    /// The most time by the clock for a job of this estimate.
    ///
    /// Ten times as much, at least twenty seconds and at most `images.timeout`: another machine may be slower and its
    /// processors busy, but a file that takes a hundred times as long as its header promises is no ordinary one.
    func time(for estimate: Duration) -> Duration {
        min(.seconds(timeout), max(.seconds(20), estimate * 10))
    }

    /// Refuses work beyond the limit.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    func checkWork(_ estimate: Duration) throws {
        guard estimate <= .milliseconds(work) else {
            throw tooLarge(
                "The image takes about \(Int(estimate / .milliseconds(1))) ms of processor time; the limit is \(work) ms "
                    + "(images.maxWork). Make it smaller first, or use fewer operators or frames."
            )
        }
    }

    private func tooLarge(_ message: String) -> ServiceError {
        ServiceError(.imageTooLarge, message)
    }
}
