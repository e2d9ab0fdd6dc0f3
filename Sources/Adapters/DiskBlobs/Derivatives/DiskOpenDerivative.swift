internal import Domain
internal import Glibc
internal import Synchronization

/// A derivative that is open for reading, and when it was last noted that it is used.
final class DiskOpenDerivative: Sendable {
    /// Its bytes; the trailer is not shown.
    let blob: DiskOpenBlob
    private let mediaType: MediaType
    private let tag: String
    /// When the file's times were last set, in seconds since 1970.
    private let noted: Atomic<Int>

    /// How long a use is not noted again, in seconds: reading must not become writing.
    private static let interval = 3600

    /// Takes a file that has a trailer, and when it was last noted that it was used, in milliseconds since 1970.
    init(_ file: consuming Descriptor, _ trailer: DerivativeTrailer, usedAt: Int64, pool: DiskThreads) {
        blob = DiskOpenBlob(file, size: trailer.size, pool: pool)
        mediaType = trailer.mediaType
        tag = trailer.tag
        noted = Atomic(Int(usedAt / 1000))
    }

    /// As it is served.
    var stored: StoredDerivative {
        StoredDerivative(blob: blob, mediaType: mediaType, tag: tag)
    }

    /// Whether it is time to note that the derivative is used; says so to one caller an hour.
    func takesNote() -> Bool {
        let now = time(nil)
        let last = noted.load(ordering: .relaxed)
        // A time to come is that of a clock that was wrong.
        guard now - last >= DiskOpenDerivative.interval || last > now else { return false }
        return noted.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }
}
