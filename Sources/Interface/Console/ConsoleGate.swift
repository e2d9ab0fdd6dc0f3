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
    func isEncrypted(_ context: APIContext) -> Bool {
        options.isEncrypted || context.isFromTrustedProxy && options.isPublishedEncrypted
    }

    /// Whether a browser on this machine sent the request.
    ///
    /// A reverse proxy on this machine also connects from it. Its requests have another host, or a field of proxies.
    private func isLocal(_ request: Request, _ context: APIContext) -> Bool {
        guard context.isOnThisMachine, let host = request.head.authority?.host.lowercased(),
            ["localhost", "127.0.0.1", "[::1]"].contains(host)
        else { return false }
        return context.isFromTrustedProxy || ConsoleGate.fieldsOfProxies.allSatisfy { !request.headers.contains($0) }
    }

    private static let fieldsOfProxies = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
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
