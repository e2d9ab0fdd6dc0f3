internal import Domain
internal import HTTPAPI
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Decides which clients get the console, and which can log in.
struct ConsoleGate: Sendable {
    let options: ConsoleOptions

    /// Whether the console exists for the client.
    func admits(_ request: Request, _ context: APIContext) -> Bool {
        switch options.access {
        case .off: false
        case .loopback: isLocal(request, context)
        case .on: true
        }
    }

    /// Whether the connection keeps a key and a cookie secret: it is encrypted, or stays on this machine.
    func isConfidential(_ request: Request, _ context: APIContext) -> Bool {
        isEncrypted(context) || isLocal(request, context)
    }

    /// Whether the browser connects by HTTPS, so that its cookie is for HTTPS only.
    ///
    /// A request without the field of a trusted proxy can come from a browser on the machine of the proxy, without HTTPS.
    func isEncrypted(_ context: APIContext) -> Bool {
        options.isEncrypted || context.isClientNamed && options.isPublishedEncrypted
    }

    /// Whether a browser on this machine sent the request.
    ///
    /// A reverse proxy on this machine also connects from it. The host of its requests is the public one, or they have a
    /// field of proxies, or the page that sends them has the public origin, or it ends the connection after each request, as
    /// HTTP/1.0 does, to which `RequestRules` adds `Connection: close`. A proxy of which none of that is true looks like a
    /// browser (docs/console.md).
    private func isLocal(_ request: Request, _ context: APIContext) -> Bool {
        guard context.isOnThisMachine, let host = request.head.authority?.host, ConsoleGate.isLoopback(host),
            ConsoleGate.originHost(request).map(ConsoleGate.isLoopback) ?? true
        else { return false }
        return context.isClientNamed || !ConsoleGate.hasTraceOfProxy(request)
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains(host.lowercased())
    }

    /// The host of the page that sends the request; `nil` if the browser does not name one (no field, or `null`).
    private static func originHost(_ request: Request) -> String? {
        guard let origin = request.headers[.origin], let scheme = origin.firstRange(of: "://") else { return nil }
        return String(origin[scheme.upperBound...]).host
    }

    private static func hasTraceOfProxy(_ request: Request) -> Bool {
        fieldsOfProxies.contains { request.headers.contains($0) }
            || request.headers[values: .connection].contains { $0.lowercased() == "close" }
    }

    private static let fieldsOfProxies = [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via",
    ]
    .compactMap { HTTPField.Name($0) }

    /// Whether the browser says that another site caused the request; browsers without the field say nothing.
    static func isForeign(_ request: Request) -> Bool {
        guard let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] else { return false }
        return site != "same-origin"
    }
}

extension String {
    /// The host of an authority, without the port.
    var host: String { String(dropLast(portSuffix.count)) }

    /// `:8080` of `127.0.0.1:8080`; empty without a port.
    var portSuffix: Substring {
        guard let colon = lastIndex(of: ":"), self[colon...].dropFirst().allSatisfy(\.isNumber) else { return "" }
        return self[colon...]
    }
}
