package import Domain
package import NIOCore
package import NIOPosix
package import S3
internal import Synchronization

/// Derivatives that servers share: each has a cache of its own, and what one has rendered is also an object of the bucket,
/// from which the caches of the others get it.
///
/// A store that fails costs a request little: there is one attempt, after a failure none for ten seconds, and the derivative
/// is rendered as if there were no bucket.
package final class SharedDerivatives: DerivativeStore {
    private let local: any DerivativeStore
    private let client: S3Client
    private let patient: S3Client
    private let layout: S3BlobLayout
    private let encryption: BlobEncryption?
    private let threads: S3Threads
    private let reads: S3Threads
    /// The seconds for which a derivative stays in the bucket.
    private let lifetime: Int64
    /// The names that the bucket did not have a moment ago: rendering asks for a derivative several times.
    private let absent = BoundedCache<DerivativeName, ContinuousClock.Instant>(bound: 1000)
    private let claims = Claims<DerivativeName>()
    private let pausedUntil = Mutex<ContinuousClock.Instant?>(nil)
    /// What the bucket had, and what it took, since the start.
    package let counts = SharedDerivativeCounts()

    private static let pause = Duration.seconds(10)
    private static let absence = Duration.seconds(2)

    /// Creates a store; sends no request.
    ///
    /// - Parameters:
    ///   - local: The cache of this server.
    ///   - client: The client of the bucket for reads and writes; its attempts delay responses.
    ///   - patient: The client for removals, which nothing waits for.
    ///   - layout: The names of the app's objects.
    ///   - pool: Threads for requests.
    ///   - reads: Threads for the requests of readers; `nil` takes those of the pool.
    ///   - lifetime: The seconds for which a derivative stays in the bucket, from its storing.
    ///   - encryption: How the app's blobs are encrypted; derivatives are, too.
    package init(
        _ local: any DerivativeStore,
        _ client: S3Client,
        removing patient: S3Client,
        layout: S3BlobLayout,
        pool: NIOThreadPool,
        reads: NIOThreadPool? = nil,
        lifetime: Int64,
        encryption: BlobEncryption? = nil
    ) {
        self.local = local
        self.client = client
        self.patient = patient
        self.layout = layout
        self.lifetime = lifetime
        self.encryption = encryption
        threads = S3Threads(pool: pool)
        self.reads = S3Threads(pool: reads ?? pool)
    }

    package func open(_ name: DerivativeName) async throws -> StoredDerivative? {
        if let found = try await local.open(name) { return found }
        if await isAbsent(name) { return nil }
        return try await claims.holding(name) {
            if let found = try await local.open(name) { return found }
            if await !isAbsent(name), let shared = await fetched(name) {
                try? await local.store(shared.bytes, as: shared.mediaType, under: name)
                if let found = try await local.open(name) { return found }
            }
            absent.remove(name)
            _ = await absent.value(for: name) { .now }
            return nil
        }
    }

    package func openLocal(_ name: DerivativeName) async throws -> StoredDerivative? {
        try await local.open(name)
    }

    /// Whether the bucket did not have a derivative a moment ago, or this server could not take it.
    private func isAbsent(_ name: DerivativeName) async -> Bool {
        await absent.value(for: name, loading: { nil }).map { $0 + Self.absence > .now } ?? false
    }

    private func fetched(_ name: DerivativeName) async -> S3Derivative? {
        let object = layout.name(of: name)
        let bytes = await attempt(on: reads) { [client] in try client.get(object, limit: S3Derivative.maxObjectSize) }
        guard let bytes = bytes.flatMap(\.self) else {
            counts.count(.absent)
            return nil
        }
        counts.count(.read)
        return S3Derivative(bytes, named: object, encryption)
    }

    package func store(_ bytes: ByteBuffer, as mediaType: MediaType, under name: DerivativeName) async throws {
        try await local.store(bytes, as: mediaType, under: name)
        guard bytes.readableBytes <= S3Derivative.maxSize else { return }
        let object = layout.name(of: name)
        let derivative = S3Derivative(bytes: bytes, mediaType: mediaType)
        let isStored = await attempt(on: threads) { [client, encryption] in
            guard let bytes = try derivative.object(named: object, encryption) else { return false }
            try client.put(object, bytes: bytes)
            return true
        }
        if isStored == true { counts.count(.stored) }
        absent.remove(name)
    }

    package func remove(allOf source: String) async throws {
        // The bucket first: what is opened in between comes into the local cache again.
        try await remove(prefix: layout.derivativesPrefix(of: source)) { _ in true }
        try await local.remove(allOf: source)
    }

    package func forget(allOf source: String) async throws {
        try await local.remove(allOf: source)
    }

    /// Runs one request for which a client waits; `nil` if it fails, or one has failed a moment ago.
    private func attempt<Result: Sendable>(
        on threads: S3Threads,
        _ request: @escaping @Sendable () throws -> Result
    ) async -> Result? {
        if let until = pausedUntil.withLock({ $0 }), until > .now { return nil }
        do {
            return try await threads.run(request)
        } catch is CancellationError {
            return nil
        } catch {
            counts.count(.failed)
            let reason = ((error as? ServiceError)?.cause as? S3Error)?.reason
            // Of one object, these say nothing about others.
            if reason != .damaged, reason != .tooLarge { pausedUntil.withLock { $0 = .now + Self.pause } }
            return nil
        }
    }

    package func removeExpired() async throws {
        let end = Timestamp.now().wholeSeconds - lifetime
        try await remove(prefix: layout.derivativesPrefix) { $0.modified < end }
    }

    /// Removes objects, a page of the list after the other.
    private func remove(prefix: String, _ isRemoved: @escaping @Sendable (S3Object) -> Bool) async throws {
        var last: String?
        var failure: S3Error?
        repeat {
            let (next, failed) = try await threads.run { [patient, last] in
                let page = try patient.list(prefix: prefix, after: last)
                // A store could list more than requested.
                let removed = page.objects.filter { $0.key.hasPrefix(prefix) && isRemoved($0) }
                let errors = patient.deleteReporting(removed.map(\.key))
                guard page.hasMore, let next = page.objects.last?.key, next > last ?? "" else {
                    return (String?.none, errors.values.first)
                }
                return (next, errors.values.first)
            }
            // An object that the store keeps does not keep the others.
            (last, failure) = (next, failure ?? failed)
        } while last != nil
        if let failure { throw ServiceError(failure) }
    }
}
