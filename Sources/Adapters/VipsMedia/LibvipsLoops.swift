internal import CVips
internal import Glibc

// libvips 8.14 computes on threads that all images share and that it retains for 15 seconds. A thread keeps the
// niceness with which it was created, so a job of normal priority would compute on threads that a job of low priority
// left, and wait for everything that is busy. With one thread an image (``VipsLibrary``) these threads are of little
// use. So jobs of normal priority compute their pixels on the thread that called libvips, and encode large images on
// one more thread (``StripWriter``). For this, two functions of libvips' public interface, with which all its loops
// over pixels start, are redefined here. The dynamic linker prefers the program's definition (System V ABI, "Global
// Offset Table": symbol resolution begins with the executable). If libvips is linked in such a way that it does not,
// its own functions run, and only the priority of some cheap jobs is lower.
//
// Jobs of low priority use the library's own functions: threads of low priority create their threads, and only such
// jobs use them.

/// Runs libvips' loops over pixels on one thread, and finds the library's own functions.
enum LibvipsLoops {
    typealias LinesWriter =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
    typealias Lines = @convention(c) (UnsafeMutableRawPointer?, LinesWriter?, UnsafeMutableRawPointer?) -> CInt
    typealias UnitStart =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    typealias UnitChoice =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?) -> CInt
    typealias UnitWork = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
    typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    typealias Units =
        @convention(c) (
            UnsafeMutableRawPointer?, UnitStart?, UnitChoice?, UnitWork?, Progress?, UnsafeMutableRawPointer?
        ) -> CInt

    /// The library's own functions; `nil` if they cannot be found.
    fileprivate static let libraryLines = next("vips_sink_disc").map { unsafeBitCast($0, to: Lines.self) }
    fileprivate static let libraryUnits = next("vips_threadpool_run").map { unsafeBitCast($0, to: Units.self) }

    /// The address of a function in the libraries after the program in the search order.
    private static func next(_ name: String) -> UnsafeMutableRawPointer? {
        // RTLD_NEXT, a cast that Swift does not import (dlsym(3)).
        dlsym(UnsafeMutableRawPointer(bitPattern: -1), name)
    }

    /// The number of pixels below which encoding takes less time than starting a thread.
    private static let pixelsWorthThread: Int64 = 100_000

    /// Computes an image from top to bottom in strips of some lines, and passes each strip to a writer.
    fileprivate static func writeLines(
        of image: UnsafeMutablePointer<VipsImage>,
        _ write: LinesWriter,
        _ data: UnsafeMutableRawPointer?
    ) -> CInt {
        // One region is computed while the other one is written.
        let regions = [vips_region_new(image), vips_region_new(image)].compactMap(\.self)
        defer {
            for region in regions { g_object_unref(region) }
            vips_image_minimise_all(image)
        }
        guard regions.count == 2 else { return -1 }
        let isLarge = Int64(image.pointee.Xsize) * Int64(image.pointee.Ysize) >= pixelsWorthThread
        guard isLarge, let writer = StripWriter(write, data) else {
            return computeStrips(of: image, in: regions) { write($0, &$1, data) == 0 } ? 0 : -1
        }
        let isComputed = computeStrips(of: image, in: regions) { writer.hand($0, $1) }
        return writer.finish() && isComputed ? 0 : -1
    }

    /// Computes an image strip by strip, alternating between the regions, and passes each to the body, which returns
    /// `false` to stop.
    ///
    /// - Returns: Whether the whole image was computed and passed on.
    private static func computeStrips(
        of image: UnsafeMutablePointer<VipsImage>,
        in regions: [UnsafeMutablePointer<VipsRegion>],
        _ body: (UnsafeMutablePointer<VipsRegion>, inout VipsRect) -> Bool
    ) -> Bool {
        var (tileWidth, tileHeight, lines): (CInt, CInt, CInt) = (0, 0, 0)
        vips_get_tile_size(image, &tileWidth, &tileHeight, &lines)
        let (width, height) = (image.pointee.Xsize, image.pointee.Ysize)
        var (top, count): (CInt, Int) = (0, 0)
        while top < height {
            let region = regions[count % regions.count]
            var strip = VipsRect(left: 0, top: top, width: width, height: min(max(1, lines), height - top))
            guard vips_region_prepare(region, &strip) == 0, body(region, &strip), cvips_tell_progress(image) == 0 else {
                return false
            }
            top += strip.height
            count += 1
        }
        return true
    }

    /// Performs units of work one after the other until none is left.
    fileprivate static func doUnits(
        _ state: UnsafeMutableRawPointer,
        _ choose: UnitChoice,
        _ work: UnitWork,
        _ progress: Progress?,
        _ data: UnsafeMutableRawPointer?
    ) -> CInt {
        while true {
            var isDone: CInt = 0
            guard choose(state, data, &isDone) == 0 else { return -1 }
            if isDone != 0 { return 0 }
            guard work(state, data) == 0, progress.map({ $0(data) == 0 }) ?? true else { return -1 }
        }
    }
}

/// Defines `vips_sink_disc` (libvips, "VipsRegionWrite"), with which savers get the lines of an image.
///
/// - Parameters:
///   - image: The `VipsImage`.
///   - write: Called with a `VipsRegion`, a `VipsRect` of it and the data.
///   - data: The writer's context pointer.
/// - Returns: 0, or -1 if the image or the writer failed.
@c(vips_sink_disc)
public func libvipsWritesLines(
    _ image: UnsafeMutableRawPointer?,
    _ write: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
    )?,
    _ data: UnsafeMutableRawPointer?
) -> CInt {
    if ThreadPriority.isLow, let library = LibvipsLoops.libraryLines { return library(image, write, data) }
    guard let image, let write else { return -1 }
    return LibvipsLoops.writeLines(of: image.assumingMemoryBound(to: VipsImage.self), write, data)
}

/// Defines `vips_threadpool_run`, with which libvips processes an image in units of work.
///
/// - Parameters:
///   - image: The `VipsImage`.
///   - start: Creates a `VipsThreadState`, which the loop releases.
///   - choose: Chooses the next unit, or reports the end.
///   - work: Processes the unit.
///   - progress: Called after each unit; can be null.
///   - data: The context pointer of these functions.
/// - Returns: 0, or -1 if one of the functions failed.
@c(vips_threadpool_run)
public func libvipsDoesUnits(
    _ image: UnsafeMutableRawPointer?,
    _ start: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?,
    _ choose: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<CInt>?) -> CInt
    )?,
    _ work: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt)?,
    _ progress: (@convention(c) (UnsafeMutableRawPointer?) -> CInt)?,
    _ data: UnsafeMutableRawPointer?
) -> CInt {
    if ThreadPriority.isLow, let library = LibvipsLoops.libraryUnits {
        return library(image, start, choose, work, progress, data)
    }
    guard let start, let choose, let work, let state = start(image, data) else { return -1 }
    defer { g_object_unref(state) }
    return LibvipsLoops.doUnits(state, choose, work, progress, data)
}
