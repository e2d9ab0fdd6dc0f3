internal import CTurboJPEG
internal import Domain

/// The number of pixels that share one chroma sample.
struct ChromaSubsampling: Sendable, Hashable {
    /// The base-2 logarithms across and down; `nil` without chroma.
    let shifts: Shifts?

    static let grey = ChromaSubsampling(shifts: nil)
    static let none = ChromaSubsampling(shifts: Shifts(across: 0, down: 0))

    private init(shifts: Shifts?) {
        self.shifts = shifts
    }

    /// Creates it from TurboJPEG's constant; `nil` for an unknown one.
    init?(_ number: CInt) {
        switch UInt32(bitPattern: number) {
        case TJSAMP_GRAY.rawValue: self = .grey
        case TJSAMP_444.rawValue: self = .none
        case TJSAMP_422.rawValue: shifts = Shifts(across: 1, down: 0)
        case TJSAMP_420.rawValue: shifts = Shifts(across: 1, down: 1)
        case TJSAMP_440.rawValue: shifts = Shifts(across: 0, down: 1)
        case TJSAMP_411.rawValue: shifts = Shifts(across: 2, down: 0)
        default: return nil
        }
    }

    /// The planes of an image; luma is rounded up to whole chroma samples, as TurboJPEG writes it.
    func layouts(of size: ImageSize) -> [Planes.Layout] {
        guard let shifts else { return [Planes.Layout(width: size.width, rows: size.height)] }
        let width = ChromaSubsampling.rounded(size.width, shifts.across)
        let rows = ChromaSubsampling.rounded(size.height, shifts.down)
        let color = Planes.Layout(width: width >> shifts.across, rows: rows >> shifts.down)
        return [Planes.Layout(width: width, rows: rows), color, color]
    }

    private static func rounded(_ side: Int, _ shift: Int) -> Int {
        ((side + (1 << shift) - 1) >> shift) << shift
    }

    struct Shifts: Sendable, Hashable {
        let across: Int
        let down: Int
    }
}
