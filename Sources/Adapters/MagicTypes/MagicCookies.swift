internal import Domain
internal import NIOCore
internal import Synchronization

/// Several cookies for the same tests, so that threads do not wait for each other's; thread-safe.
final class MagicCookies: Sendable {
    /// A cookie with its lock, which is not copyable and so needs a box.
    private final class Slot: Sendable {
        let cookie: Mutex<MagicCookie>

        init(_ tests: MagicCookie.Tests) throws(MagicError) {
            cookie = Mutex(try MagicCookie(tests))
        }
    }

    private let slots: [Slot]
    private let next = Atomic(0)

    /// Opens cookies; `count` is at least 1.
    init(_ tests: MagicCookie.Tests, count: Int) throws {
        slots = try (0..<max(1, count)).map { _ in try Slot(tests) }
    }

    /// The media type of bytes; `nil` for results that are no media types, such as an error, and for unknown bytes.
    ///
    /// Takes milliseconds, and waits while all cookies are in use.
    func type(of head: ByteBuffer) -> MediaType? {
        let first = next.wrappingAdd(1, ordering: .relaxed).oldValue & .max
        for offset in slots.indices {
            let slot = slots[(first + offset) % slots.count]
            let answer = slot.cookie.withLockIfAvailable { cookie in
                head.withUnsafeReadableBytes { try? cookie.type(of: $0) }
            }
            if let answer { return mediaType(answer) }
        }
        let answer = slots[first % slots.count].cookie.withLock { cookie in
            head.withUnsafeReadableBytes { try? cookie.type(of: $0) }
        }
        return mediaType(answer)
    }

    private func mediaType(_ answer: String?) -> MediaType? {
        answer.flatMap { MediaType($0) }.flatMap { $0 == .octetStream ? nil : $0 }
    }
}
