internal import Curl

extension CurlHandle {
    /// Creates a handle that posts; redirects are not followed.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - url: An http or https URL in ASCII.
    ///   - seconds: The limit for the whole request.
    ///   - isJSON: Whether the body is JSON; otherwise the caller adds its `Content-Type`.
    /// - Returns: The handle; its other options have libcurl's defaults.
    /// - Throws: `CurlFailure` if libcurl refuses an option.
    static func posting(
        _ body: [UInt8],
        to url: String,
        within seconds: Int,
        isJSON: Bool = true
    ) throws(CurlFailure) -> CurlHandle {
        var handle = try CurlHandle()
        try handle.set(.timeout, seconds)
        try handle.set(.url, url)
        if isJSON { try handle.addHeader("Content-Type: application/json") }
        try handle.setBody(body)
        return handle
    }
}
