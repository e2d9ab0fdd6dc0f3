internal import NIOCore
internal import Synchronization

/// The id of a request, in the form of Hummingbird's `RequestID`, whose string takes longer to make than the head of a
/// response.
struct HotRequestID: CustomStringConvertible {
    private let number: UInt64

    // Unlike those of other requests, and of other processes.
    private static let prefix = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    private static let next = Atomic(UInt64.random(in: .min ... .max))

    /// Creates the next id.
    init() {
        number = HotRequestID.next.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The 32 hexadecimal digits.
    var description: String {
        var buffer = ByteBuffer()
        write(to: &buffer)
        return String(buffer: buffer)
    }

    /// Writes the digits.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeString(HotRequestID.prefix)
        let digits: StaticString = "0123456789abcdef"
        var upper: UInt64 = 0
        var lower: UInt64 = 0
        for shift in 0..<8 {
            let (high, low) = (Int(number >> (60 - 4 * shift) & 15), Int(number >> (28 - 4 * shift) & 15))
            upper = upper << 8 | UInt64(digits.utf8Start[high])
            lower = lower << 8 | UInt64(digits.utf8Start[low])
        }
        buffer.writeInteger(upper)
        buffer.writeInteger(lower)
    }
}
