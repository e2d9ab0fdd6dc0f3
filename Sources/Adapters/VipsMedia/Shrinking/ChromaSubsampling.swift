internal import CTurboJPEG
internal import Domain

/// How many pixels share one sample of colour.
struct ChromaSubsampling: Sendable, Hashable {
    /// Powers of two, across and down; `nil` without colour.
    let shifts: Shifts?

    static let grey = ChromaSubsampling(shifts: nil)
    static let none = ChromaSubsampling(shifts: Shifts(across: 0, down: 0))

    private init(shifts: Shifts?) {
        self.shifts = shifts
    }

    /// Takes a number of TurboJPEG's; `nil` for one that is not known here.
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

    /// The planes of an image: that of brightness is rounded up to whole samples of colour, as TurboJPEG writes it.
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
