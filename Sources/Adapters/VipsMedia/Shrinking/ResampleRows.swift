internal import Domain

/// The data of zimg's callbacks, which split lines into rows of one channel, and join such rows to pixels.
///
/// The memory is alive and large enough while the graph runs: only ``PlaneResampler`` creates this value.
struct ResampleRows {
    /// The source lines; `nil` if zimg reads planes itself.
    let lines: JPEGLines?
    let incoming: Window
    let outgoing: Window
    /// The buffer for the result.
    let target: UnsafeMutablePointer<UInt8>
    let size: ImageSize
    let bands: Int
    let mustStop: () -> Bool

    /// Few enough rows that a job stops soon, and enough that the check costs no time.
    private static let rowsPerQuestion = 16

    /// Splits a line into channels; returns `false` on errors and if the job must stop.
    ///
    /// If its working set for whole lines exceeds the processor's cache, zimg processes the image in columns, each from
    /// top to bottom. Lines cannot be read twice, so that is an error too.
    func split(row: Int, from left: Int, to right: Int) -> Bool {
        guard let lines, left == 0, right >= lines.size.width, mayGoOn(row), let line = lines.line(row),
            let red = incoming.row(row, of: 0)
        else { return false }
        let columns = 0..<lines.size.width
        guard bands == 3 else {
            red.update(from: line.assumingMemoryBound(to: UInt8.self), count: columns.count)
            return true
        }
        guard let green = incoming.row(row, of: 1), let blue = incoming.row(row, of: 2) else { return false }
        let pixels = line.assumingMemoryBound(to: UInt32.self)
        // One channel after the other, so that the compiler vectorizes the loops.
        for column in columns { red[column] = UInt8(truncatingIfNeeded: pixels[column]) }
        for column in columns { green[column] = UInt8(truncatingIfNeeded: pixels[column] &>> 8) }
        for column in columns { blue[column] = UInt8(truncatingIfNeeded: pixels[column] &>> 16) }
        return true
    }

    /// Joins a part of a row; returns `false` if the job must stop.
    func join(row: Int, from left: Int, to right: Int) -> Bool {
        // zimg does not guarantee that it stays within the width; this bounds the writes.
        let right = min(right, size.width)
        guard mayGoOn(row), row < size.height, left <= right, let red = outgoing.row(row, of: 0) else { return false }
        let pixels = target + row * size.width * bands
        guard bands == 3 else {
            (pixels + left).update(from: red + left, count: right - left)
            return true
        }
        guard let green = outgoing.row(row, of: 1), let blue = outgoing.row(row, of: 2) else { return false }
        for column in left..<right {
            pixels[3 * column] = red[column]
            pixels[3 * column + 1] = green[column]
            pixels[3 * column + 2] = blue[column]
        }
        return true
    }

    private func mayGoOn(_ row: Int) -> Bool {
        row % ResampleRows.rowsPerQuestion != 0 || !mustStop()
    }

    /// A ring buffer of rows for some planes.
    struct Window {
        let starts: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?)
        let stride: Int
        /// The bits of a row's number that select its slot.
        let mask: CUnsignedInt

        init(_ planes: borrowing Planes, mask: CUnsignedInt) {
            starts = (planes.start(0), planes.start(1), planes.start(2))
            stride = planes.layouts.first?.stride ?? 0
            self.mask = mask
        }

        /// The address of a row; `nil` if the plane does not exist.
        func row(_ row: Int, of plane: Int) -> UnsafeMutablePointer<UInt8>? {
            let start =
                switch plane {
                case 0: starts.0
                case 1: starts.1
                default: starts.2
                }
            return start.map { $0 + (row & Int(mask)) * stride }
        }
    }
}
