package import Domain
internal import HTTPAPI

extension ServerConfiguration {
    /// The networks whose addresses have no limit of connections and of requests at once on connections of HTTP/2:
    /// trusted proxies, whose connections are those of many clients, and `limits.exempt`.
    package var networksWithoutConnectionLimit: [IPNetwork] {
        // The limits count IPv6 clients by their 64-bit networks, and the proxies are trusted address by address.
        http.proxies.networks + requestLimits.exempt.map(\.clientNetwork)
    }
}
