internal import CVips
internal import Glibc

// libvips 8.14 computes on threads that it shares between all images and keeps for 15 seconds. A thread has the
// niceness of the one for which it was made, for ever, so a job of normal priority would compute on threads that a job
// of low priority left, and wait for all that is busy. With one thread an image (``VipsLibrary``) these threads are of
// little use. So jobs of normal priority make their pixels on the thread that called libvips, and encode large ones on
// one more of their own (``StripWriter``): two functions of libvips' public interface, by which all of its loops over
// pixels begin, are defined here once more. The dynamic linker prefers the program's definition (System V ABI, "Global
// Offset Table": symbol resolution begins with the executable). Where a libvips is linked so that it does not, its own
// functions run, and only the priority of some cheap jobs is lower.
//
// Jobs of low priority get the library's own functions: their threads are made by nice ones, and only such jobs use
// them.

/// What libvips' own functions are, and how their work is done on one thread.
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

    /// The library's own functions; nil where they cannot be found.
    fileprivate static let libraryLines = next("vips_sink_disc").map { unsafeBitCast($0, to: Lines.self) }
    fileprivate static let libraryUnits = next("vips_threadpool_run").map { unsafeBitCast($0, to: Units.self) }

    /// The address of a function in the libraries behind the program.
    private static func next(_ name: String) -> UnsafeMutableRawPointer? {
        // RTLD_NEXT, which is a cast that Swift does not import (dlsym(3)).
        dlsym(UnsafeMutableRawPointer(bitPattern: -1), name)
    }

    /// Images with fewer pixels are encoded sooner than a thread for it is worth.
    private static let pixelsWorthThread: Int64 = 100_000

    /// Makes an image from top to bottom, some lines at a time, and hands each of these strips to a writer.
    fileprivate static func writeLines(
        of image: UnsafeMutablePointer<VipsImage>,
        _ write: LinesWriter,
        _ data: UnsafeMutableRawPointer?
    ) -> CInt {
        // One is computed while the other is written.
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

    /// Computes an image strip by strip, in the regions in turn, and gives each to a body, which returns false to end
    /// it.
    ///
    /// - Returns: Whether the whole image was computed and taken.
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

    /// Does units of work, one after the other, until there is no more.
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

/// Defines `vips_sink_disc` (libvips, "VipsRegionWrite"), by which savers get the lines of an image.
///
/// - Parameters:
///   - image: The `VipsImage`.
///   - write: Called with a `VipsRegion`, a `VipsRect` of it and the data.
///   - data: The writer's own.
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

/// Defines `vips_threadpool_run`, by which libvips does work on an image piece by piece.
///
/// - Parameters:
///   - image: The `VipsImage`.
///   - start: Makes a `VipsThreadState`, which whoever runs the loop releases.
///   - choose: Chooses the next unit, or says that there is no more.
///   - work: Does the unit.
///   - progress: Called after each unit; may be null.
///   - data: Of the functions before.
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
