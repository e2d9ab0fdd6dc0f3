package import Domain
package import NIOCore
package import NIOPosix

/// Fetches files over http and https with libcurl, each on one thread from its beginning to its end.
///
/// A fetch that waits for a thread and is cancelled leaves the queue when it reaches the front; one that runs ends
/// within about a second.
package struct CurlFetcher: Fetcher {
    private let limits: FetchLimits
    private let addresses: AddressGuard
    private let pool: NIOThreadPool
    private let admission: Admission

    /// - Parameters:
    ///   - limits: What one fetch may take.
    ///   - addresses: Is asked for every connection.
    ///   - pool: Started threads that are used for nothing else, because slow servers block them.
    ///   - limit: How many fetches run and wait together.
    package init(limits: FetchLimits, addresses: AddressGuard, pool: NIOThreadPool, limit: Int) {
        self.limits = limits
        self.addresses = addresses
        self.pool = pool
        admission = Admission(limit: limit, refusal: "Too many files are being fetched; try again in a second.")
    }

    package func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let address = try url.requestText
        return try await admission.run { try await run(address, into: take) }
    }

    /// The transfer is a child task, which a thread does; the bytes are taken in the caller's own.
    private func run(
        _ address: String,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let channel = PieceChannel()
        return try await withThrowingTaskGroup(of: FetchedHead.self) { group in
            group.addTask { try await transfer(address, channel) }
            // If this throws, the group waits for the transfer, which it has stopped, and rethrows.
            try await channel.drain(into: take)
            guard let head = try await group.next() else { throw CancellationError() }
            return head
        }
    }

    private func transfer(_ address: String, _ channel: PieceChannel) async throws -> FetchedHead {
        // Also when the pool drops the job and nothing was transferred: the taking would else wait for ever.
        defer { channel.finish() }
        return try await pool.runIfActive { [limits, addresses] in
            try Transfer(limits: limits, addresses: addresses, channel: channel).run(address)
        }
    }
}
