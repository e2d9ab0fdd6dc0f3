/// The settings of the mirror, apart from those of threads.
package struct MirrorSettings: Sendable {
    /// The URL before a key, http or https, without a slash at its end; `nil` for no mirror.
    package var origin: String?
    /// The maximum size of a fetched file in bytes.
    package var size: Int64
    /// Seconds for one fetch.
    package var timeout: Int
    /// Seconds for which a key that the origin does not have is not fetched again.
    package var notFoundTime: Int
    /// The maximum number of keys that are remembered as failed or missing on the origin.
    package var rememberedKeys: Int

    /// Creates settings; the defaults are those of the configuration.
    package init(
        origin: String? = nil,
        size: Int64 = 1 << 30,
        timeout: Int = 300,
        notFoundTime: Int = 300,
        rememberedKeys: Int = 100_000
    ) {
        self.origin = origin
        self.size = size
        self.timeout = timeout
        self.notFoundTime = notFoundTime
        self.rememberedKeys = rememberedKeys
    }
}
