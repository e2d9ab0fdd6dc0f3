/// A handle that a pool lends to one transfer at a time, so that its connections are used again.
///
/// `@unchecked Sendable`: one thread at a time uses a handle. It is either in the pool's list of idle handles, behind a
/// lock, or used by the thread that took it; the lock orders one use before the next. Every pool must keep this rule.
/// libcurl allows a handle to move between threads that do not use it at the same time.
package final class PooledHandle: @unchecked Sendable {
    /// The handle.
    package var handle: CurlHandle

    /// Creates a handle.
    ///
    /// - Throws: ``CurlFailure`` if libcurl cannot start.
    package init() throws(CurlFailure) {
        handle = try CurlHandle()
    }
}
