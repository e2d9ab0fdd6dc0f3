internal import CVips

/// A failed operation of libvips.
///
/// The detail comes from a buffer that all threads share, so it can describe another thread's image: it is for the log
/// only, influences no decision and never reaches a client.
struct VipsError: Error, CustomStringConvertible {
    let operation: String
    let detail: String

    var description: String { "\(operation): \(detail)" }

    /// The error of the operation that just failed; reads and clears the buffer under libvips' lock.
    static func take(_ operation: String) -> VipsError {
        guard let text = vips_error_buffer_copy() else { return VipsError(operation: operation, detail: "") }
        defer { g_free(text) }
        return VipsError(operation: operation, detail: String(cString: text))
    }
}
