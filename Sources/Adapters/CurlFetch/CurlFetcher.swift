internal import Curl
package import Domain
package import NIOCore
package import NIOPosix

/// Fetches files over http and https with libcurl, each on one thread.
///
/// A cancelled fetch that waits for a thread leaves the queue when it reaches the front; one that runs ends within
/// about a second.
package struct CurlFetcher: Fetcher {
    private let limits: FetchLimits
    private let addresses: AddressGuard
    private let pool: NIOThreadPool
    private let admission: Admission

    /// - Parameters:
    ///   - limits: The limits for each fetch.
    ///   - addresses: Checks the address of every connection.
    ///   - pool: Started threads that do no other work, because slow servers block them.
    ///   - limit: The maximum number of fetches that run and wait together.
    ///   - setting: The setting of the limit, for the message beyond it and for the metrics.
    package init(
        limits: FetchLimits,
        addresses: AddressGuard,
        pool: NIOThreadPool,
        limit: Int,
        setting: String
    ) {
        self.limits = limits
        self.addresses = addresses
        self.pool = pool
        admission = Admission(
            limit: limit,
            refusal: "Too many files are being fetched (\(setting)); try again in a second.",
            setting: setting
        )
    }

    /// The version of libcurl that is loaded.
    package static var libraryVersion: String { CurlHandle.libraryVersion }

    /// The number of fetches that run and wait, and its limit.
    package var jobs: (count: Int, limit: Int) { (admission.count, admission.limit) }

    package func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let address = try url.requestText
        return try await admission.run { try await run(address, into: take) }
    }

    /// Runs the transfer on a thread, as a child task; the caller's task consumes the bytes.
    private func run(
        _ address: String,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let channel = PieceChannel()
        return try await withThrowingTaskGroup(of: FetchedHead.self) { group in
            group.addTask { try await transfer(address, channel) }
            // If this throws, the group waits for the transfer, which is already stopped, and rethrows.
            try await channel.drain(into: take)
            guard let head = try await group.next() else { throw CancellationError() }
            return head
        }
    }

    private func transfer(_ address: String, _ channel: PieceChannel) async throws -> FetchedHead {
        // Required also when the pool drops the job without a transfer: the consumer would otherwise never return.
        defer { channel.finish() }
        return try await pool.runIfActive { [limits, addresses] in
            try Transfer(limits: limits, addresses: addresses, channel: channel).run(address)
        }
    }
}
