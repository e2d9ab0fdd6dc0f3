/// Colour profiles of version 2 (ICC.1:2001-04), some of them broken.
enum ProfileSample: String, CaseIterable {
    /// Grey values in linear light.
    case gray
    /// sRGB's colours, but red and blue are swapped.
    case swapped
    /// A gray one without its curve.
    case grayWithoutCurve
    /// One of red, green and blue whose curve for red is no curve.
    case swappedWithoutCurve
    /// The header of one for LAB.
    case lab
    /// The beginning of one.
    case truncated
    /// Bytes that are no profile.
    case junk

    /// The bytes of the profile.
    var bytes: [UInt8] {
        switch self {
        case .gray: Self.profile("GRAY", [("kTRC", Self.curve(256))])
        case .swapped: Self.profile("RGB ", Self.swappedTags)
        case .grayWithoutCurve: Self.profile("GRAY", [])
        case .swappedWithoutCurve:
            Self.profile("RGB ", Self.swappedTags.filter { $0.name != "rTRC" } + [Self.brokenTag])
        case .lab: Self.profile("Lab ", [])
        case .truncated: Array(Self.swapped.bytes.prefix(100))
        case .junk: [UInt8](repeating: 0x6a, count: 200)
        }
    }

    private typealias Tag = (name: String, bytes: [UInt8])

    private static let swappedTags: [Tag] = [
        ("rXYZ", point(9376, 3972, 46799)), ("gXYZ", point(25241, 46981, 6362)), ("bXYZ", point(28578, 14581, 912)),
        ("rTRC", curve(563)), ("gTRC", curve(563)), ("bTRC", curve(563)),
    ]

    private static let brokenTag: Tag = ("rTRC", Array("junkjunkjunk".utf8))

    /// A curve of one exponent, in 256ths.
    private static func curve(_ exponent: UInt16) -> [UInt8] {
        value("curv", big(UInt32(1)) + big(exponent))
    }

    /// A colour of the space in which profiles are connected, in 65536ths.
    private static func point(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> [UInt8] {
        value("XYZ ", [x, y, z].flatMap { big($0) })
    }

    private static func value(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(type.utf8) + [0, 0, 0, 0] + bytes
    }

    private static func profile(_ model: String, _ own: [Tag]) -> [UInt8] {
        let whitePoint: Tag = ("wtpt", point(63190, 65536, 54061))
        let tags = [whitePoint] + own
        var table = big(UInt32(tags.count))
        var body: [UInt8] = []
        for tag in tags {
            let start = 132 + 12 * tags.count + body.count
            table += Array(tag.name.utf8)
            table += big(UInt32(start))
            table += big(UInt32(tag.bytes.count))
            body += tag.bytes
            body += [UInt8](repeating: 0, count: (4 - tag.bytes.count % 4) % 4)
        }
        var head = big(UInt32(128 + table.count + body.count))
        head += Array("test".utf8)
        head += [2, 0x40, 0, 0]
        head += Array("mntr\(model)XYZ ".utf8)
        head += [UInt8](repeating: 0, count: 12)
        head += Array("acsp".utf8)
        head += [UInt8](repeating: 0, count: 28)
        for number: UInt32 in [63190, 65536, 54061] { head += big(number) }
        head += [UInt8](repeating: 0, count: 128 - head.count)
        return head + table + body
    }

    private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
