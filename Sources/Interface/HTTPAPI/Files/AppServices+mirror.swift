internal import Domain
internal import Hummingbird

/// Which app's origin can have the file of an unknown key (docs/mirror.md).
extension [AppServices] {
    /// The app whose mirror is asked for a key that no app has; `nil` for none.
    ///
    /// A host that is a file domain of apps stands for these apps. Under any other host the key can belong to any app,
    /// so it is fetched only if one app has a mirror.
    ///
    /// - Parameter host: The host of the request, with its port.
    /// - Returns: The app.
    func mirroring(host: String?) -> AppServices? {
        let host = host?.lowercased() ?? ""
        let owners = filter { $0.ownHosts.contains(host) }
        let candidates = (owners.isEmpty ? self : owners).filter { $0.mirror != nil }
        return candidates.count == 1 ? candidates[0] : nil
    }
}

extension AppServices {
    /// The host of an http or https URL in lower case, with its port unless it is the default one.
    static func host(of url: String) -> String? {
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where url.lowercased().hasPrefix(scheme) {
            let host = url.dropFirst(scheme.count).prefix { $0 != "/" }.lowercased()
            return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
        }
        return nil
    }

    /// The file of a key here, or on the origin of the app's mirror.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if it is on neither; ``ServiceError/Code/blocked``; errors of the
    ///   mirror.
    func file(_ key: FileKey) async throws -> ShownFile {
        if let file = try await shown(key) { return file }
        guard let mirror else { throw FileService.notFound }
        return try await shown(key) { try await mirror.file(key) }
    }

    /// Checks the signature before a fetch, if all files of the app are private; a request that is refused in the end
    /// must not cause one.
    func permitFetch(of key: FileKey, _ image: RequestedImage, _ request: Request) throws {
        guard presentation.privacy.access == .private else { return }
        let query = SignedQuery(request.uri.query)
        _ = try presentation.privacy.permit(image, of: key, isPrivate: true, query, to: nil, at: .now())
    }
}
