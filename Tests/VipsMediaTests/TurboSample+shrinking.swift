import Domain
import Testing

@testable import VipsMedia

extension TurboSample {
    /// The result's pixels; nothing if the file is not for a shrinker.
    static func shrink(
        _ file: [UInt8],
        of source: ImageSize,
        to size: ImageSize,
        mustStop: () -> Bool = { false }
    ) -> [UInt8]? {
        file.withUnsafeBytes { bytes in
            guard let shrinker = JPEGShrinker(bytes, of: source, to: size) else { return nil }
            // What lies behind the result must stay as it is.
            let count = size.area * shrinker.bands
            var pixels = [UInt8](repeating: 0xa5, count: count + 64)
            let isDrawn = pixels.withUnsafeMutableBytes { memory in
                shrinker.draw(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]), mustStop: mustStop)
            }
            #expect(pixels[count...].allSatisfy { $0 == 0xa5 })
            return isDrawn ? Array(pixels[..<count]) : nil
        }
    }

    /// How far samples are apart.
    static func meanDifference(_ first: [UInt8], _ second: [UInt8]) -> Double {
        var sum = 0
        for index in 0..<min(first.count, second.count) { sum += abs(Int(first[index]) - Int(second[index])) }
        return Double(sum) / Double(max(1, first.count))
    }
}
