/// Judgements of what a URL answers.
extension ServerProbe {
    /// All findings.
    ///
    /// - Parameters:
    ///   - trustsProxies: Whether `http.proxies` names a proxy.
    ///   - hasLiveQueries: Whether clients can open WebSockets.
    /// - Returns: One for each subject that could be examined.
    func findings(trustsProxies: Bool, hasLiveQueries: Bool) -> [Finding] {
        if let failure { return [Finding("url.reachable", .problem, "\(url) cannot be reached: \(failure)")] }
        guard status == 200, body.contains("\"status\"") else { return [otherAnswer] }
        var findings = [Finding("url.reachable", .ok, "\(url) answers"), clock, certificate, compression]
        findings.append(proxy(trustsProxies))
        if hasLiveQueries { findings.append(upgrade) }
        findings.append(largeBody)
        return findings.compactMap(\.self)
    }

    private var otherAnswer: Finding {
        let subject = "url.reachable"
        if (300..<400).contains(status) {
            let target = headers["location"].map { " to \($0)" } ?? ""
            let text = "\(url) redirects\(target), which SDKs do not follow; use the last address"
            return Finding(subject, .problem, text)
        }
        if status == 503, body.contains("\"status\"") {
            return Finding(subject, .problem, "\(url) answers that the server is not healthy: \(body.prefix(200))")
        }
        let text =
            "\(url)/health answers \(status), not as lcfile does: the proxy does not forward to the server, or the "
            + "server is off"
        return Finding(subject, .problem, text)
    }

    private var clock: Finding? {
        let subject = "clock.difference"
        guard let difference = clockDifference else { return nil }
        let amount = "\(count(abs(difference), "second")) \(difference > 0 ? "ahead of" : "behind") the Date of \(url)"
        switch abs(difference) {
        case 0...2: return Finding(subject, .ok, "the clock agrees with the Date of \(url)")
        case 3...60: return Finding(subject, .note, "the clock is \(amount)")
        default:
            let text = "the clock is \(amount): signed URLs, codes and S3 fail; set one of the two"
            return Finding(subject, .problem, text)
        }
    }

    private var certificate: Finding? {
        guard let days = certificateDays else { return nil }
        let subject = "url.certificate"
        let text = "the certificate of \(url) is valid for \(count(days, "day"))"
        switch days {
        case ..<7: return Finding(subject, .problem, "\(text): renew it now, and check what should have")
        case ..<20: return Finding(subject, .note, "\(text): automatic renewals usually come earlier")
        default: return Finding(subject, .ok, text)
        }
    }

    private var compression: Finding? {
        guard let encoding else { return nil }
        let text =
            "a proxy compresses small answers (\(encoding)), which lcfile does not: exclude files and images, "
            + "whose ranges and lengths it would remove"
        return Finding("url.compression", .note, text)
    }

    /// The name of the proxy that answers; `nil` if the server itself seems to.
    var proxyName: String? {
        let name = headers["via"] ?? headers["server"]
        return name.flatMap { $0.lowercased().hasPrefix("lcfile") ? nil : $0 }
    }

    private func proxy(_ trustsProxies: Bool) -> Finding? {
        guard let name = proxyName else { return nil }
        let subject = "url.proxy"
        guard !trustsProxies else { return Finding(subject, .ok, "a proxy answers (\(name)), and http.proxies is set") }
        let text =
            "a proxy answers (\(name)), but http.proxies is empty: limits take all clients for one; set it to "
            + "the proxy's address, and let the proxy set X-Forwarded-For"
        return Finding(subject, .note, text)
    }

    private var upgrade: Finding? {
        let subject = "url.webSockets"
        switch upgradeStatus {
        case 0: return nil
        case 101: return Finding(subject, .ok, "WebSockets work")
        default:
            let text =
                "a WebSocket gets \(upgradeStatus): live queries do not work; let the proxy forward Upgrade and "
                + "Connection with HTTP/1.1"
            return Finding(subject, .problem, text)
        }
    }

    private var largeBody: Finding? {
        let subject = "url.bodySize"
        switch largeStatus {
        case 0: return nil
        case 413:
            let text = "\(url) refuses bodies of uploads.maxSize (413): raise the proxy's limit (client_max_body_size)"
            return Finding(subject, .problem, text)
        default: return Finding(subject, .ok, "bodies of uploads.maxSize are not refused")
        }
    }
}
