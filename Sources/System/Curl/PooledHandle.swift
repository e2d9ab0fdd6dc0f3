/// A handle that a pool lends to one transfer at a time, so that its connections are used again.
///
/// Unchecked because the compiler cannot see who uses it: it is in the pool's list of idle handles or in the hands of one
/// thread, and the lock of that list orders one use before the next. Every pool must keep it so. libcurl allows a handle
/// to move between threads that do not use it at the same time.
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
