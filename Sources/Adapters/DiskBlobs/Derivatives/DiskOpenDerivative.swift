internal import Domain
internal import Glibc
internal import Synchronization

/// A derivative that is open for reading, with the time of its last recorded use.
final class DiskOpenDerivative: Sendable {
    /// The bytes without the trailer.
    let blob: DiskOpenBlob
    private let mediaType: MediaType
    private let tag: String
    /// The time at which the file's times were last set, in seconds since 1970.
    private let noted: Atomic<Int>

    /// The minimum number of seconds between recorded uses, so that not every read causes a write.
    private static let interval = 3600

    /// Creates the value from a file with a trailer, and the last recorded use in milliseconds since 1970.
    init(_ file: consuming Descriptor, _ trailer: DerivativeTrailer, usedAt: Int64, pool: DiskThreads) {
        blob = DiskOpenBlob(file, size: trailer.size, pool: pool)
        mediaType = trailer.mediaType
        tag = trailer.tag
        noted = Atomic(Int(usedAt / 1000))
    }

    /// The derivative with the values for a response.
    var stored: StoredDerivative {
        StoredDerivative(blob: blob, mediaType: mediaType, tag: tag)
    }

    /// Whether the use of the derivative is to be recorded now; returns `true` to one caller an hour.
    func takesNote() -> Bool {
        let now = time(nil)
        let last = noted.load(ordering: .relaxed)
        // A time in the future comes from a clock that was wrong.
        guard now - last >= DiskOpenDerivative.interval || last > now else { return false }
        return noted.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }
}
