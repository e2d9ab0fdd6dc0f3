internal import CVips
internal import Domain
internal import Synchronization

/// Stops a job for which no client waits any more, or that takes too long.
///
/// libvips asks while it makes pixels. What an encoder does in one piece at the end cannot be stopped, nor TurboJPEG's
/// decoding at 3/8 of a size; both may take longer than the deadline: only the limits on pixels bound them.
final class JobWatch: Sendable {
    /// Nothing before the job begins to run, if it has so much time from then on.
    private let deadline: Mutex<ContinuousClock.Instant?>
    private let isCancelled = Atomic(false)

    /// - Parameter deadline: When the job must stop; `nil` if ``begin(for:)`` says so later.
    init(until deadline: ContinuousClock.Instant?) {
        self.deadline = Mutex(deadline)
    }

    /// Gives the job its time from now on: it may have waited for its thread.
    func begin(for time: Duration) {
        deadline.withLock { $0 = .now + time }
    }

    /// May be called from any thread.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
    }

    /// Why the job must stop; nothing while it may go on.
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

    /// Watches while the body makes pixels of an image.
    ///
    /// - Throws: Why the job was stopped, if it was; else what the body throws.
    func watching<Result: ~Copyable>(
        _ image: borrowing VipsImageHandle,
        _ body: () throws -> Result
    ) throws -> Result {
        try check()
        // The callback only runs inside of the body, while this object is alive.
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

    /// The image with all its pixels in memory, for work that looks at them in another order than from top to bottom.
    func materialized(_ image: borrowing VipsImageHandle) throws -> VipsImageHandle {
        let pointer = image.pointer
        return try watching(image) {
            guard let copy = vips_image_copy_memory(pointer) else { throw VipsError.take("copy_memory") }
            return VipsImageHandle(owning: copy)
        }
    }
}
