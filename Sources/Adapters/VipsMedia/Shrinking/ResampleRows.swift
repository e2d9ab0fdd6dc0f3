internal import Domain

/// What zimg's callbacks work on: they split lines into rows of one colour, and join such rows to pixels.
///
/// The memory is alive and large enough while the graph runs: only ``PlaneResampler`` makes one of these.
struct ResampleRows {
    /// What is read; `nil` if zimg reads planes by itself.
    let lines: JPEGLines?
    let incoming: Window
    let outgoing: Window
    /// Where the result is written.
    let target: UnsafeMutablePointer<UInt8>
    let size: ImageSize
    let bands: Int
    let mustStop: () -> Bool

    /// Few enough that a job stops soon, so many that asking costs nothing.
    private static let rowsPerQuestion = 16

    /// Splits a line; false for any fault and if the job must stop.
    ///
    /// Where zimg's work on whole lines does not fit into the processor's cache, it goes through the image in columns,
    /// from top to bottom for each. Lines cannot be had twice, so that is a fault, too.
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
        // One colour after the other, so that the compiler takes vectors.
        for column in columns { red[column] = UInt8(truncatingIfNeeded: pixels[column]) }
        for column in columns { green[column] = UInt8(truncatingIfNeeded: pixels[column] &>> 8) }
        for column in columns { blue[column] = UInt8(truncatingIfNeeded: pixels[column] &>> 16) }
        return true
    }

    /// Joins a part of a row; false if the job must stop.
    func join(row: Int, from left: Int, to right: Int) -> Bool {
        // Nothing says that zimg may ask for more than there is, but only this keeps it from being written.
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

    /// Rows of some planes that are used again and again.
    struct Window {
        let starts: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?)
        let stride: Int
        /// Which bits of a row's number say where it lies.
        let mask: CUnsignedInt

        init(_ planes: borrowing Planes, mask: CUnsignedInt) {
            starts = (planes.start(0), planes.start(1), planes.start(2))
            stride = planes.layouts.first?.stride ?? 0
            self.mask = mask
        }

        /// Where a row lies; `nil` if there is no such plane.
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
