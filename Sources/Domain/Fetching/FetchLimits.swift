/// Limits on what is fetched from other servers, each a setting but ``minSpeedTime``.
package struct FetchLimits: Sendable {
    /// The most bytes of a file (`fetch.maxSize`).
    package var size: Int64
    /// Seconds for a fetch, redirects and all (`fetch.timeout`).
    package var timeout: Int
    /// Seconds until a server must have taken the connection (`fetch.connectTimeout`).
    package var connectTimeout: Int
    /// Bytes a second below which a fetch is cancelled; 0 for no minimum (`fetch.minSpeed`).
    package var minSpeed: Int
    /// Seconds for which it must be slower than that.
    package var minSpeedTime: Int
    /// How many redirects are followed, one after the other (`fetch.maxRedirects`).
    package var redirects: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(
        size: Int64 = 1 << 30,
        timeout: Int = 300,
        connectTimeout: Int = 10,
        minSpeed: Int = 1024,
        minSpeedTime: Int = 30,
        redirects: Int = 5
    ) {
        self.size = size
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.minSpeed = minSpeed
        self.minSpeedTime = minSpeedTime
        self.redirects = redirects
    }
}
