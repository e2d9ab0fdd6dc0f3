import Domain
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CurlFetch

/// The one message for unreachable hosts and forbidden addresses.
let unreachable = "url, or the target of a redirect, cannot be reached from this server."

/// Fetches with a fetcher, and a thread, of its own.
func fetch(
    _ url: String,
    limits: FetchLimits = FetchLimits(),
    allowed: [String] = ["127.0.0.1/32"],
    queue: Int = 8,
    setting: String = "fetch.maxQueued",
    into take: @escaping @Sendable (ByteBuffer) async throws -> Void = { _ in }
) async throws -> FetchedHead {
    let url = try RemoteURL(url)
    let addresses = AddressGuard(allowedNetworks: try allowed.map { try #require(IPNetwork($0)) })
    let pool = NIOThreadPool(numberOfThreads: 1)
    pool.start()
    let fetcher = CurlFetcher(limits: limits, addresses: addresses, pool: pool, limit: queue, setting: setting)
    let result: Result<FetchedHead, any Error>
    do {
        result = .success(try await fetcher.fetch(url, into: take))
    } catch {
        result = .failure(error)
    }
    try await pool.shutdownGracefully()
    return try result.get()
}

/// The error of a fetch that must not succeed.
func refusal(
    of url: String,
    limits: FetchLimits = FetchLimits(),
    allowed: [String] = ["127.0.0.1/32"],
    queue: Int = 8,
    setting: String = "fetch.maxQueued",
    into take: @escaping @Sendable (ByteBuffer) async throws -> Void = { _ in }
) async throws -> ServiceError {
    let error = await #expect(throws: ServiceError.self) {
        try await fetch(url, limits: limits, allowed: allowed, queue: queue, setting: setting, into: take)
    }
    return try #require(error)
}

/// Keeps what it is given.
final class Taken: Sendable {
    private struct State {
        var bytes = ByteBuffer()
        var isBusy = false
        var everOverlapped = false
    }

    private let state = Mutex(State())

    func take(_ piece: ByteBuffer) async {
        state.withLock { state in
            if state.isBusy { state.everOverlapped = true }
            state.isBusy = true
        }
        await Task.yield()
        state.withLock { state in
            state.bytes.writeImmutableBuffer(piece)
            state.isBusy = false
        }
    }

    var text: String { state.withLock { String(buffer: $0.bytes) } }
    var everOverlapped: Bool { state.withLock { $0.everOverlapped } }
}
