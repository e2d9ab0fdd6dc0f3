internal import CVips
internal import Domain
internal import Synchronization

/// Stops a job that has no waiting client or takes too long.
///
/// libvips checks while it computes pixels. The final call of an encoder and TurboJPEG's decoding at 3/8 of a size
/// cannot be stopped; both can exceed the deadline, and only the limits on pixels bound them.
final class JobWatch: Sendable {
    /// `nil` until the job begins, if its time counts from then on.
    private let deadline: Mutex<ContinuousClock.Instant?>
    private let isCancelled = Atomic(false)

    /// - Parameter deadline: When the job must stop; `nil` if ``begin(for:)`` sets it later.
    init(until deadline: ContinuousClock.Instant?) {
        self.deadline = Mutex(deadline)
    }

    /// Starts the job's time, because it can have waited for its thread.
    func begin(for time: Duration) {
        deadline.withLock { $0 = .now + time }
    }

    /// Cancels the job; thread-safe.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
    }

    /// The error with which the job must stop; `nil` while it can continue.
    private var reason: (any Error)? {
        if isCancelled.load(ordering: .relaxed) { return CancellationError() }
        if let deadline = deadline.withLock(\.self), ContinuousClock.now > deadline {
            return ServiceError(
                .imageTimedOut,
                "The image takes longer to process than ten times its estimate, or than images.timeout."
            )
        }
        return nil
    }

    /// Whether the job must stop.
    var mustStop: Bool { reason != nil }

    /// Throws if the job must stop.
    func check() throws {
        if let reason { throw reason }
    }

    /// Runs a body; errors of libvips and of bitmaps mean that the image cannot be read, unless the job must stop.
    ///
    /// - Throws: The refusal with such an error as its cause, the reason for the stop, or another error of the body.
    func reading<Result: ~Copyable>(
        refusing refusal: (any Error) -> ServiceError = { ServiceError.notAnImage($0) },
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as VipsError {
            try check()
            throw refusal(error)
        } catch let error as BMPError {
            throw refusal(error)
        }
    }

    /// Checks for a stop while the body computes pixels of an image.
    ///
    /// - Throws: The reason for the stop if the job was stopped; otherwise the errors of the body.
    func watching<Result: ~Copyable>(
        _ image: borrowing VipsImageHandle,
        _ body: () throws -> Result
    ) throws -> Result {
        try check()
        // The callback only runs within the body, while this object is alive.
        let data = Unmanaged.passUnretained(self).toOpaque()
        let pointer = image.pointer
        cvips_watch(
            pointer,
            { image, _, data in
                guard let image, let data else { return }
                let watch = Unmanaged<JobWatch>.fromOpaque(data).takeUnretainedValue()
                if watch.reason != nil { vips_image_set_kill(image, 1) }
            },
            data
        )
        defer { cvips_unwatch(pointer, data) }
        do {
            return try body()
        } catch {
            try check()
            throw error
        }
    }

    /// The image with all its pixels in memory, for operations that do not read pixels from top to bottom.
    func materialized(_ image: borrowing VipsImageHandle) throws -> VipsImageHandle {
        let pointer = image.pointer
        return try watching(image) {
            guard let copy = vips_image_copy_memory(pointer) else { throw VipsError.take("copy_memory") }
            return VipsImageHandle(owning: copy)
        }
    }
}
