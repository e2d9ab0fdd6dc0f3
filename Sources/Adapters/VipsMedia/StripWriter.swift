internal import CVips
internal import Dispatch

/// Writes the strips of an image on a thread of its own, so that the next strip is computed while one is encoded.
///
/// A PNG that is decoded, made smaller and encoded again spends about as long on either side; libvips overlaps them as
/// well (`vips_sink_disc`). The thread has the niceness of the one that makes it (sched(7)).
///
/// `@unchecked Sendable`: `strip` and `hasFailed` have one user at a time. The thread that computes touches them after
/// it waited for `written` and before it signals `computed`; the thread that writes, after it waited for `computed` and
/// before it signals `written`. Region, writer and data are used as libvips itself uses them on two threads: a region
/// is computed by the one and read by the other, never at the same time, because there are two regions and the writer
/// finishes one before it is handed the next.
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

    /// Takes a writer that libvips gave, and its data; nil if the system has no thread left.
    init?(_ write: LibvipsLoops.LinesWriter, _ data: UnsafeMutableRawPointer?) {
        self.write = write
        self.data = data
        // The thread ends before `finish` returns, and its caller holds the writer until then.
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

    /// Hands over a region that holds the pixels of a place, when the one before is written; it may be computed anew
    /// after the next hand-over.
    ///
    /// - Returns: Whether all strips before could be written.
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

    /// Waits until everything handed over is written, and ends the thread; must be called once, and last.
    ///
    /// - Returns: Whether all strips could be written.
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
        // What libvips keeps for each thread is freed by the thread alone.
        vips_thread_shutdown()
    }
}
