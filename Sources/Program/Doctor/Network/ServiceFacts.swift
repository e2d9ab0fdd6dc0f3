/// Whether a service of other people, or of the operator, takes connections.
struct ServiceFacts: Sendable, Equatable {
    /// What it is, such as `the mail server`.
    let role: String
    /// The setting that names it.
    let setting: String
    let host: String
    let port: Int
    /// Why it takes none; `nil` if it does.
    var failure: String?

    init(_ role: String, setting: String, host: String, port: Int, failure: String? = nil) {
        self.role = role
        self.setting = setting
        self.host = host
        self.port = port
        self.failure = failure
    }

    /// The service that a URL names; `nil` if it names none.
    ///
    /// The URL's path, which can be secret, is not used.
    init?(_ role: String, setting: String, url: String) {
        let ports = ["http": 80, "https": 443, "smtp": 25, "smtps": 465]
        guard let parts = AddressParts(url), let usual = ports[parts.scheme] else { return nil }
        self.init(role, setting: setting, host: parts.host, port: parts.port ?? usual)
    }

    /// Connects to each address until one takes the connection.
    mutating func connect(seconds: Int = 5) {
        do throws(ResolverFailure) {
            for address in try Resolved.all(of: host, port: port) {
                failure = address.connect(seconds: seconds)
                if failure == nil { return }
            }
        } catch {
            failure = error.text
        }
    }

    var finding: Finding {
        let name = "\(role) \(host):\(port)"
        guard let failure else { return Finding("network.services", .ok, "\(name) takes connections") }
        return Finding("network.services", .problem, "\(name) (\(setting)) cannot be reached: \(failure)")
    }
}

/// The scheme, the host and the port of a URL.
struct AddressParts {
    let scheme: String
    let host: String
    /// `nil` if the URL names none.
    let port: Int?

    /// - Returns: `nil` if the URL has no host.
    init?(_ url: String) {
        let words = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count >= 3, words[0].hasSuffix(":"), words[1].isEmpty else { return nil }
        scheme = words[0].dropLast().lowercased()
        var authority = words[2].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        authority = authority.prefix { $0 != "?" && $0 != "#" }
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            host = String(authority[authority.index(after: authority.startIndex)..<end])
            port = Int(authority[end...].dropFirst(2))
        } else {
            let parts = authority.split(separator: ":", maxSplits: 1)
            host = parts.first.map(String.init) ?? ""
            port = parts.count > 1 ? Int(parts[1]) : nil
        }
        guard !host.isEmpty else { return nil }
    }
}

/// Judgements of names.
extension NameFacts {
    var finding: Finding {
        let subject = "network.names"
        guard failure == nil, let first = addresses.first else {
            let text = "\(name) does not resolve: \(failure ?? "no address"); add it to the DNS"
            return Finding(subject, .problem, text)
        }
        let here = isHere ? "this machine" : "another address than this machine's, such as that of a proxy or a CDN"
        return Finding(subject, .ok, name == first ? "\(name) is \(here)" : "\(name) is \(first), \(here)")
    }
}
