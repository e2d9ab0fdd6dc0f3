internal import Synchronization

/// The id of an object: 24 lower-case hexadecimal digits, ordered by the time of creation (protocol/data 1.7).
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as a string.
    package let description: String

    /// Parses an id from a client or a database; `nil` unless it has 1 to 64 ASCII letters and digits.
    ///
    /// lcfile's own ids have 24 hexadecimal digits; ids of imported objects have any letters and digits (protocol/data
    /// 1.7).
    package init?(_ text: String) {
        guard (1...ObjectID.maxLength).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIAlphanumeric)
        else { return nil }
        description = text
    }

    /// Parses an id in a path; a string that is not a valid id becomes an id that no object has, so that a request for
    /// it is answered like one for an object that does not exist.
    ///
    /// The description is then the string with `-` in place of each byte that is not a letter, a digit or `_`, and has at
    /// most 65 bytes, so that it is safe in messages and statements.
    package init(inPath text: some StringProtocol) {
        let text = String(text)
        description = ObjectID(text)?.description ?? ObjectID.unassignable(text)
    }

    /// Whether the id has the form of the server's own ids, and of those of LeanCloud.
    var isGenerated: Bool {
        description.utf8.count == 24
            && description.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// A string that is not a valid id: it has another character than letters and digits, or is too long.
    private static func unassignable(_ text: String) -> String {
        let bytes = text.utf8.prefix(maxLength + 1).map { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") ? byte : UInt8(ascii: "-")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The maximum length of a valid id in bytes.
    private static let maxLength = 64

    init(uncheckedHex text: String) {
        description = text
    }

    /// Compares the ids as strings, which orders lcfile's own ids by time.
    package static func < (left: ObjectID, right: ObjectID) -> Bool {
        left.description < right.description
    }
}

/// Creates object ids that sort in the order of their creation, also within one millisecond and when the clock steps
/// back.
///
/// An id has four bytes of seconds (as in every LeanCloud id, so that tools can read the time), two bytes of the
/// second's fraction, and six random bytes. The first six bytes never decrease. Thread-safe.
package final class ObjectIDGenerator: Sendable {
    private let last = Mutex<UInt64>(0)
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: Returns the current time; tests can stop it.
    package init(clock: @escaping @Sendable () -> Timestamp = Timestamp.now) {
        self.clock = clock
    }

    /// The next id, greater than every earlier id of this generator.
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

    /// The low 48 bits as 12 hexadecimal digits.
    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number & 0xffff_ffff_ffff, radix: 16)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }
}
