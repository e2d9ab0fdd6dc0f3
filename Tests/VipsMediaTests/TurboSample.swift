import CTurboJPEG
import Domain

/// JPEGs of every subsampling, encoded by TurboJPEG.
enum TurboSample {
    static let subsamplings = [TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411, TJSAMP_GRAY]

    /// Encodes red, green and blue of each pixel.
    static func encoded(_ pixels: [UInt8], _ size: ImageSize, _ subsampling: TJSAMP = TJSAMP_420) throws -> [UInt8] {
        try encoded(pixels, size, format: TJPF_RGB, subsampling: subsampling, flags: 0)
    }

    /// One that comes in passes.
    static func progressive(_ pixels: [UInt8], _ size: ImageSize) throws -> [UInt8] {
        try encoded(pixels, size, format: TJPF_RGB, subsampling: TJSAMP_420, flags: TJFLAG_PROGRESSIVE)
    }

    /// One with the four colours of printers.
    static func cmyk(_ size: ImageSize) throws -> [UInt8] {
        let pixels = [UInt8](repeating: 100, count: 4 * size.area)
        return try encoded(pixels, size, format: TJPF_CMYK, subsampling: TJSAMP_444, flags: 0)
    }

    /// Soft waves of each colour, which no decoder should change by much.
    static func waves(_ size: ImageSize) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * size.area)
        for y in 0..<size.height {
            for x in 0..<size.width {
                pixels.append(triangle(x))
                pixels.append(triangle(y))
                pixels.append(triangle(x + 2 * y))
            }
        }
        return pixels
    }

    private static func triangle(_ place: Int) -> UInt8 {
        UInt8(40 + abs(place % 240 - 120))
    }

    private static func encoded(
        _ pixels: [UInt8],
        _ size: ImageSize,
        format: TJPF,
        subsampling: TJSAMP,
        flags: CInt
    ) throws -> [UInt8] {
        let handle = tjInitCompress()
        defer { tjDestroy(handle) }
        var result: UnsafeMutablePointer<UInt8>?
        defer { tjFree(result) }
        var count: UInt = 0
        let status = tjCompress2(
            handle,
            pixels,
            CInt(size.width),
            0,
            CInt(size.height),
            CInt(format.rawValue),
            &result,
            &count,
            CInt(subsampling.rawValue),
            95,
            flags
        )
        guard status == 0 else { throw Failed() }
        return Array(UnsafeBufferPointer(start: result, count: Int(count)))
    }

    struct Failed: Error {}
}
