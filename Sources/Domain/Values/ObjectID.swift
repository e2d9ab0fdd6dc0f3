internal import Synchronization

/// The id of an object: 24 lower-case hexadecimal digits, ordered by the time of creation (protocol/data 1.7).
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as it is written.
    package let description: String

    /// Takes an id from a client or a database, or `nil` if it is not 1 to 64 ASCII letters or digits.
    ///
    /// Own ids have 24 hexadecimal digits; imported objects may carry any letters and digits (protocol/data 1.7).
    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        description = text
    }

    init(uncheckedHex text: String) {
        description = text
    }

    /// By text, which for own ids is by time.
    package static func < (left: ObjectID, right: ObjectID) -> Bool {
        left.description < right.description
    }
}

/// Makes object ids that sort in the order they were made, also within one millisecond and when the clock steps back.
///
/// An id is four bytes of seconds (as in every LeanCloud id, so that tools which read the time out of it keep
/// working), two bytes of the second's fraction, six random bytes. The first six only ever grow. May be used from any
/// thread.
package final class ObjectIDGenerator: Sendable {
    private let last = Mutex<UInt64>(0)
    private let clock: @Sendable () -> Timestamp

    /// Takes the clock, so that tests can stop it.
    package init(clock: @escaping @Sendable () -> Timestamp = Timestamp.now) {
        self.clock = clock
    }

    /// The next id, greater than every id this generator made before.
    package func next() -> ObjectID {
        let now = clock()
        let seconds = UInt64(max(0, now.wholeSeconds))
        let fraction = UInt64(max(0, now.milliseconds - now.wholeSeconds * 1000)) * 65536 / 1000
        let moment = last.withLock { last in
            last = max(seconds << 16 | fraction, last + 1)
            return last
        }
        let random = UInt64.random(in: 0...0xffff_ffff_ffff)
        return ObjectID(uncheckedHex: hexadecimal(moment) + hexadecimal(random))
    }

    /// The low 48 bits as 12 digits.
    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number & 0xffff_ffff_ffff, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}
