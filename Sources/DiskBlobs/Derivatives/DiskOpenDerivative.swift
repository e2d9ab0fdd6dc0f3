internal import Domain
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A derivative's file, open for reading; its trailer is not shown.
final class DiskOpenDerivative: OpenBlob {
    let size: Int64
    var descriptor: CInt? { file.raw }
    var isDamaged: Bool { damage.load(ordering: .relaxed) }
    private let mediaType: MediaType
    private let tag: String
    private let file: Descriptor
    private let pool: NIOThreadPool
    /// When the file's times were last set, in seconds since 1970.
    private let noted: Atomic<Int>
    private let damage = Atomic(false)

    /// How long a use is not noted again, in seconds: reading must not become writing.
    private static let interval = 3600

    /// Takes a file that has a trailer, and when it was last noted that it was used, in milliseconds since 1970.
    init(_ file: consuming Descriptor, _ trailer: DerivativeTrailer, usedAt: Int64, pool: NIOThreadPool) {
        size = trailer.size
        mediaType = trailer.mediaType
        tag = trailer.tag
        self.file = file
        self.pool = pool
        noted = Atomic(Int(usedAt / 1000))
    }

    /// As it is served.
    var stored: StoredDerivative {
        StoredDerivative(blob: self, mediaType: mediaType, tag: tag)
    }

    /// Whether it is time to note that the derivative is used; says so to one caller an hour.
    func takesNote() -> Bool {
        let now = time(nil)
        let last = noted.load(ordering: .relaxed)
        // A time to come is that of a clock that was wrong.
        guard now - last >= DiskOpenDerivative.interval || last > now else { return false }
        return noted.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    }

    /// Sets the file's times to now, by which those are found that were not used for longest.
    ///
    /// - Returns: What ``hasName()`` does.
    func noteUse() -> Bool {
        // The file system may refuse: then the derivative goes earlier than it should, and nothing else is lost.
        _ = futimens(file.raw, nil)
        return hasName()
    }

    /// Whether the file still has a name; without one, its room comes back only when it is closed.
    func hasName() -> Bool {
        var status = stat()
        return fstat(file.raw, &status) == 0 && status.st_nlink > 0
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        try await pool.runIfActive { [self] in
            do {
                return try file.readStored(at: offset, count: count, of: size)
            } catch {
                noteDamage()
                throw error
            }
        }
    }

    func noteDamage() {
        damage.store(true, ordering: .relaxed)
    }
}
