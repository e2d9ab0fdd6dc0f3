/// The content codings that a client accepts, from its `Accept-Encoding` (RFC 9110 section 12.5.3).
struct AcceptedCodings {
    private var weights: [String: Double] = [:]

    /// - Parameter header: The values of all lines; `nil` without the header.
    init(_ header: String?) {
        for entry in (header ?? "").split(separator: ",") {
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let coding = parts.first, !coding.isEmpty else { continue }
            // The name of an old version of HTTP (RFC 9110 section 8.4.1.3).
            weights[coding == "x-gzip" ? "gzip" : coding] = AcceptedCodings.weight(parts.dropFirst())
        }
    }

    /// The coding for a response: of those that the client weighs highest, the first of this server's.
    ///
    /// `nil` if the client accepts none, or prefers a response without a coding. A client that refuses that as well
    /// gets it nevertheless: the RFC prefers it to a refusal. `*` stands for gzip only: every client that sends it has
    /// gzip.
    var preferred: ContentCoding? {
        var best: (coding: ContentCoding, weight: Double)?
        for coding in ContentCoding.allCases {
            let weight = weights[coding.rawValue] ?? (coding == .gzip ? weights["*"] : nil) ?? 0
            if weight > best?.weight ?? 0 { best = (coding, weight) }
        }
        guard let best, best.weight >= weights["identity"] ?? 0 else { return nil }
        return best.coding
    }

    /// The weight in the parameters of an entry, 1 without one; 0 if it is malformed, so that the coding is not used.
    private static func weight(_ parameters: ArraySlice<String>) -> Double {
        guard let text = parameters.first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else { return 1 }
        // Other forms of numbers, such as 1e-3 and 0x1, are not allowed.
        guard (1...5).contains(text.utf8.count), text.allSatisfy({ $0.isNumber || $0 == "." }),
            let weight = Double(text), (0...1).contains(weight)
        else { return 0 }
        return weight
    }
}
