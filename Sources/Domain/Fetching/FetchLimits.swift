/// Limits on fetches from other servers; each is a setting, except ``minSpeedTime``.
package struct FetchLimits: Sendable {
    /// The maximum size of a file in bytes (`fetch.maxSize`).
    package var size: Int64
    /// Seconds for a fetch, including redirects (`fetch.timeout`).
    package var timeout: Int
    /// Seconds for establishing a connection (`fetch.connectTimeout`).
    package var connectTimeout: Int
    /// Bytes a second below which a fetch is cancelled; 0 for no minimum (`fetch.minSpeed`).
    package var minSpeed: Int
    /// Seconds below ``minSpeed`` after which a fetch is cancelled.
    package var minSpeedTime: Int
    /// The maximum number of redirects (`fetch.maxRedirects`).
    package var redirects: Int

    /// Creates limits; the defaults are those of the settings.
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
