internal import Curl

extension CurlHandle {
    /// Creates a handle that posts JSON; redirects are not followed.
    ///
    /// - Parameters:
    ///   - body: At least one byte.
    ///   - url: An http or https URL in ASCII.
    ///   - seconds: The limit for the whole request.
    /// - Returns: The handle; its other options have libcurl's defaults.
    /// - Throws: `CurlFailure` if libcurl refuses an option.
    static func posting(_ body: [UInt8], to url: String, within seconds: Int) throws(CurlFailure) -> CurlHandle {
        var handle = try CurlHandle()
        try handle.set(.timeout, seconds)
        try handle.set(.url, url)
        try handle.addHeader("Content-Type: application/json")
        try handle.setBody(body)
        return handle
    }
}
