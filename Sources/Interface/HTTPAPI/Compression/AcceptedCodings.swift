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

    /// Whether the client accepts gzip and does not prefer a response without a coding.
    ///
    /// If a client accepts neither, the response has no coding: the RFC prefers that to a refusal.
    var prefersGzip: Bool {
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        return gzip > 0 && gzip >= weights["identity"] ?? 0
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
