internal import CVips
internal import Dispatch

/// Writes the strips of an image on a separate thread, so that the next strip is computed while one is encoded.
///
/// For a PNG that is decoded, downscaled and encoded, both threads take about the same time; libvips overlaps them as
/// well (`vips_sink_disc`). The thread has the niceness of the thread that creates it (sched(7)).
///
/// `@unchecked Sendable`: `strip` and `hasFailed` have one user at a time. The computing thread accesses them after it
/// waited for `written` and before it signals `computed`; the writing thread accesses them after it waited for
/// `computed` and before it signals `written`. Region, writer and data are used as libvips itself uses them on two
/// threads: one thread computes a region and the other one reads it, never at the same time, because there are two
/// regions and the writer finishes one before it receives the next.
final class StripWriter: @unchecked Sendable {
    private struct Strip {
        let region: UnsafeMutablePointer<VipsRegion>
        var place: VipsRect
    }

    private let write: LibvipsLoops.LinesWriter
    private let data: UnsafeMutableRawPointer?
    private let computed = DispatchSemaphore(value: 0)
    private let written = DispatchSemaphore(value: 0)
    private var strip: Strip?
    private var hasFailed = false
    private var thread: UnsafeMutablePointer<GThread>?

    /// Creates a writer from libvips' callback and its data; `nil` if the system cannot create a thread.
    init?(_ write: LibvipsLoops.LinesWriter, _ data: UnsafeMutableRawPointer?) {
        self.write = write
        self.data = data
        // The thread ends before `finish` returns, and its caller retains the writer until then.
        let thread = g_thread_try_new(
            "strips",
            { writer in
                guard let writer else { return nil }
                Unmanaged<StripWriter>.fromOpaque(writer).takeUnretainedValue().run()
                return nil
            },
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        )
        guard let thread else { return nil }
        self.thread = thread
        written.signal()
    }

    /// Waits until the previous strip is written, then passes on a region with the pixels of a rectangle.
    ///
    /// The region can be computed again after the next call.
    ///
    /// - Returns: Whether all previous strips were written.
    func hand(_ region: UnsafeMutablePointer<VipsRegion>, _ place: VipsRect) -> Bool {
        written.wait()
        guard !hasFailed else {
            written.signal()
            return false
        }
        strip = Strip(region: region, place: place)
        computed.signal()
        return true
    }

    /// Waits until all strips are written, and ends the thread; must be called once, and last.
    ///
    /// - Returns: Whether all strips were written.
    func finish() -> Bool {
        written.wait()
        strip = nil
        computed.signal()
        g_thread_join(thread)
        return !hasFailed
    }

    private func run() {
        while true {
            computed.wait()
            guard var strip else { break }
            hasFailed = write(strip.region, &strip.place, data) != 0
            written.signal()
        }
        // Only the thread itself can free libvips' thread-local data.
        vips_thread_shutdown()
    }
}
