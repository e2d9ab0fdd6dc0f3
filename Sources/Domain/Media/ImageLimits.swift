/// Limits on sources and derivatives, each a setting; the defaults are Qiniu's or higher (protocol/files 5.9).
package struct ImageLimits: Sendable {
    /// The maximum size of a source in bytes (`images.maxSourceSize`).
    package var sourceSize: Int64
    /// The maximum width and height of a source in pixels (`images.maxSourceSide`).
    package var sourceSide: Int
    /// The maximum number of pixels in one frame of a source (`images.maxSourcePixels`).
    package var sourcePixels: Int
    /// The maximum width and height of a result in pixels (`images.maxResultSide`).
    package var resultSide: Int
    /// The maximum number of pixels in one frame of a result (`images.maxResultPixels`).
    package var resultPixels: Int
    /// The maximum number of frames of an animated result; with more, the result is the first frame
    /// (`images.maxFrames`).
    package var frames: Int
    /// The maximum number of pixels in all frames of an animation, in the source and in the result; with more, the
    /// result is the first frame (`images.maxAnimationPixels`).
    package var animationPixels: Int
    /// The maximum number of operators in a chain (`images.maxOperators`).
    package var operators: Int
    /// The maximum number of characters in a watermark text (`images.maxTextLength`).
    package var textLength: Int
    /// Seconds for one job, from its start (`images.timeout`).
    package var timeout: Int
    /// The maximum estimated processor time of one job, in milliseconds on the reference machine (`images.maxWork`).
    package var work: Int

    /// Creates limits; the defaults are those of the settings.
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

    /// Checks the size of a source.
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

    /// Checks the size of a step's result.
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

    /// Whether ``checkResult(_:)`` accepts a size.
    func allowResult(_ size: ImageSize) -> Bool {
        size.width <= resultSide && size.height <= resultSide && size.area <= resultPixels
    }

    /// The maximum wall-clock time for a job with this estimate.
    ///
    /// Ten times the estimate, at least 20 seconds and at most `images.timeout`: another machine can be slower and its
    /// processors busy, but a file that takes a hundred times as long as its header promises is not an ordinary file.
    func time(for estimate: Duration) -> Duration {
        min(.seconds(timeout), max(.seconds(20), estimate * 10))
    }

    /// Checks the estimated processor time.
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
