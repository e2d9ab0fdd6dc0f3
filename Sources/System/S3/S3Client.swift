internal import Curl
internal import Glibc
internal import Synchronization

/// A client of one bucket of an S3 store, over libcurl, with signed requests.
///
/// Every call blocks until it is done, and several threads can call at once; each uses a connection of its own, which the
/// next call uses again. Calls are for threads of their own, never for the cooperative pool. Requests that fail for
/// a moment are sent again (``S3Options/attempts``); every call has the same effect if the store has already processed
/// it. Proxies are those of libcurl's environment variables.
package final class S3Client: Sendable {
    /// The bucket.
    package let bucket: S3Bucket
    private let credentials: any S3CredentialSource
    let options: S3Options
    /// How many requests were sent, and how many of them failed.
    package let counts = S3Counts()
    private let handles = Mutex<[PooledHandle]>([])
    private let goesOn: @Sendable () -> Bool

    /// - Parameters:
    ///   - bucket: The bucket.
    ///   - credentials: The source of the keys with which requests are signed, used before each attempt.
    ///   - options: Timeouts, attempts and sizes.
    ///   - goesOn: Called about once a second during a call; after `false` the call throws ``S3Error/Reason/stopped``.
    package init(
        _ bucket: S3Bucket,
        credentials: any S3CredentialSource,
        options: S3Options = S3Options(),
        goesOn: @escaping @Sendable () -> Bool = { true }
    ) {
        self.bucket = bucket
        self.credentials = credentials
        self.options = options
        self.goesOn = goesOn
    }

    /// Sends a request, again after errors that can pass, and returns its 2xx response.
    func send(_ request: S3Request) throws(S3Error) -> S3Response {
        var retries = S3Retries(options)
        while true {
            do throws(S3Error) {
                return try sendOnce(request)
            } catch {
                try wait(after: error, &retries)
            }
        }
    }

    /// Sends a request once and returns its 2xx response.
    func sendOnce(_ request: S3Request) throws(S3Error) -> S3Response {
        counts.requests.wrappingAdd(1, ordering: .relaxed)
        do throws(S3Error) {
            return try exchange(request)
        } catch {
            // A missing object is an answer.
            if error.reason != .missing, error.reason != .stopped { counts.failures.wrappingAdd(1, ordering: .relaxed) }
            throw error
        }
    }

    /// Sends a request that takes a store long, once: it sends a 200 head before it knows the result.
    func sendLong(_ request: S3Request) throws(S3Error) -> S3Response {
        let response = try sendOnce(request)
        guard response.document?.name == "Error" else { return response }
        let failed = S3Response(status: 500, body: response.body)
        throw S3Refusal(failed, request, bucket, now: S3Client.now()).error
    }

    private func exchange(_ request: S3Request) throws(S3Error) -> S3Response {
        let current = try credentials.credentials(while: goesOn)
        var response = try exchange(request, signedWith: current)
        // Only once: a store that refuses new credentials, too, has another reason.
        if S3Refusal.isOfCredentials(response, to: request), credentials.discard(current) {
            counts.requests.wrappingAdd(1, ordering: .relaxed)
            let renewed = try credentials.credentials(while: goesOn)
            response = try exchange(request, signedWith: renewed)
        }
        guard (200..<300).contains(response.status) else {
            throw S3Refusal(response, request, bucket, now: S3Client.now()).error
        }
        return response
    }

    /// Sends a request on a connection of the pool and returns its response, with any status.
    private func exchange(
        _ request: S3Request,
        signedWith credentials: S3Credentials
    ) throws(S3Error) -> S3Response {
        let exchange = S3Exchange(request, signedWith: credentials, goesOn: goesOn)
        let pooled = try pooledHandle()
        defer {
            pooled.handle.reset()
            handles.withLock { if $0.count < options.idleConnections { $0.append(pooled) } }
        }
        return try exchange.perform(on: &pooled.handle, for: self)
    }

    /// Counts of a client's requests, each attempt for itself; exact enough for metrics.
    package final class S3Counts: Sendable {
        let requests = Atomic(0)
        let failures = Atomic(0)

        /// The number of requests.
        package var all: Int { requests.load(ordering: .relaxed) }
        /// The number of requests that the store did not answer, or refused.
        package var failed: Int { failures.load(ordering: .relaxed) }
    }

    /// Waits until the next attempt; throws the error if there is none.
    func wait(after error: S3Error, _ retries: inout S3Retries) throws(S3Error) {
        guard let pause = retries.pause(after: error) else { throw error }
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end {
            guard goesOn() else { throw S3Error(.stopped, "the request to the S3 store was stopped") }
            let rest = min(end - ContinuousClock.now, .milliseconds(200))
            usleep(useconds_t(max(1000, rest / .microseconds(1))))
        }
    }

    /// The seconds since 1970.
    static func now() -> Int64 { Int64(time(nil)) }

    private func pooledHandle() throws(S3Error) -> PooledHandle {
        if let pooled = handles.withLock({ $0.popLast() }) { return pooled }
        do {
            return try PooledHandle()
        } catch {
            throw S3Error(.local, "libcurl cannot start: \(error.text)")
        }
    }
}
