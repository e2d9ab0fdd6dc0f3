import CVips
import Domain
import NIOCore
import Support

@testable import VipsMedia

/// The decoded pixels of an encoded image; frames lie one below the other.
struct Pixels {
    let size: ImageSize
    let bands: Int
    let bytes: [UInt8]
    /// How long each frame is shown, in milliseconds.
    let delays: [CInt]?
    /// How often an animation is shown.
    let loop: Int?
    /// The names of everything that the file says besides its pixels.
    let fieldNames: [String]

    init(_ encoded: ByteBuffer, options: String = "") throws {
        let copy = Array(encoded.readableBytesView)
        // The server itself reads no AVIF; the tests read those that it made.
        VipsModules.allow(["Heif"])
        self = try copy.withUnsafeBytes { bytes in
            let image = try VipsImageHandle(VipsSourceHandle(.memory(bytes), watch: nil), options: options)
            return try Pixels(image)
        }
    }

    private init(_ image: borrowing VipsImageHandle) throws {
        var count = 0
        guard let memory = vips_image_write_to_memory(image.pointer, &count) else { throw VipsError.take("memory") }
        defer { g_free(memory) }
        size = image.size
        bands = image.bands
        bytes = Array(UnsafeRawBufferPointer(start: memory, count: count))
        delays = image.numbers("delay")
        loop = image.number("loop")
        fieldNames = image.fieldNames
    }

    /// One pixel, as many numbers as there are bands.
    subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * size.width + x) * bands
        return Array(bytes[start..<start + bands])
    }

    /// The nearest of red, green, blue, white, black; `-` for what cannot be seen.
    func name(_ x: Int, _ y: Int) -> Character {
        let pixel = self[x, y]
        if bands == 4 || bands == 2, pixel[bands - 1] < 128 { return "-" }
        let color = bands < 3 ? [pixel[0], pixel[0], pixel[0]] : Array(pixel.prefix(3))
        let names: [(Character, [UInt8])] = [
            ("r", [255, 0, 0]), ("g", [0, 255, 0]), ("b", [0, 0, 255]), ("w", [255, 255, 255]), (".", [0, 0, 0]),
        ]
        func distance(_ other: [UInt8]) -> Int {
            zip(color, other).reduce(0) { sum, pair in
                let difference = Int(pair.0) - Int(pair.1)
                return sum + difference * difference
            }
        }
        return names.min { distance($0.1) < distance($1.1) }?.0 ?? "?"
    }

    /// The four corners, row by row; two pixels from the edges, where codecs err.
    var corners: String {
        let (right, bottom) = (size.width - 3, size.height - 3)
        return String([name(2, 2), name(right, 2), name(2, bottom), name(right, bottom)])
    }

    /// How far two images of one size are apart at most, in one band of one pixel of an area.
    func difference(from other: Pixels, in columns: Range<Int>, _ rows: Range<Int>) -> Int {
        var most = 0
        for y in rows {
            for x in columns {
                for (one, another) in zip(self[x, y], other[x, y]) { most = max(most, abs(Int(one) - Int(another))) }
            }
        }
        return most
    }
}
