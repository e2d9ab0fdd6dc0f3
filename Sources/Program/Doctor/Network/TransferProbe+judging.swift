/// Judgements of the way of a file.
extension TransferProbe {
    /// All findings.
    ///
    /// - Parameters:
    ///   - proxy: The name of the proxy that answers; `nil` if the server itself seems to.
    ///   - trustsProxies: Whether `http.proxies` names a proxy.
    /// - Returns: One for each subject that could be examined.
    func findings(proxy: String?, trustsProxies: Bool) -> [Finding] {
        [upload, downloads, buffering, forwarding(proxy, trustsProxies)].compactMap(\.self)
    }

    private var upload: Finding {
        let subject = "url.upload"
        if let failure {
            return Finding(subject, .problem, "a file cannot be uploaded through \(url): \(failure)")
        }
        if let left {
            return Finding(subject, .problem, "the file \(left) of this examination is left: lcfile delete \(left)")
        }
        return Finding(subject, .ok, "a file was uploaded through \(url), read, and removed")
    }

    private var downloads: Finding? {
        guard failure == nil else { return nil }
        let subject = "url.downloads"
        guard !downloadFaults.isEmpty else {
            return Finding(subject, .ok, "bytes, ranges and ETags come back as the server sends them")
        }
        let text = "\(downloadFaults.joined(separator: "; ")): let the proxy pass files on unchanged, without its cache"
        return Finding(subject, .problem, text)
    }

    private var buffering: Finding? {
        guard let isBuffered else { return nil }
        let subject = "url.buffering"
        guard isBuffered else { return Finding(subject, .ok, "uploads reach the server while they are sent") }
        let text =
            "a proxy collects whole uploads before it passes them on: refusals, progress and the end of each upload "
            + "come late, and its disk holds all of it; let it not (proxy_request_buffering off)"
        return Finding(subject, .note, text)
    }

    private func forwarding(_ proxy: String?, _ trustsProxies: Bool) -> Finding? {
        guard let client else { return nil }
        let subject = "url.clients"
        if client.address == TransferProbe.forgedAddress {
            let text =
                "the server believes an X-Forwarded-For or Forwarded that a client sent, so that limits do not count: "
                + "let the proxy replace the field or append to it, and check http.proxies"
            return Finding(subject, .problem, text)
        }
        guard let proxy, trustsProxies else {
            return Finding(subject, .ok, "the server takes \(client.address) for this client")
        }
        guard client.isTrustedProxy else {
            let text =
                "requests come from \(client.connection), which http.proxies does not name: limits take all clients of "
                + "the proxy (\(proxy)) for one"
            return Finding(subject, .problem, text)
        }
        guard ![client.connection, TransferProbe.unknownAddress].contains(client.address) else {
            let text =
                "the proxy (\(proxy)) names no client, so that limits take all for one: let it set X-Forwarded-For, or "
                + "the field of http.proxyHeader"
            return Finding(subject, .note, text)
        }
        return Finding(subject, .ok, "the proxy names its clients; this one is \(client.address)")
    }
}
