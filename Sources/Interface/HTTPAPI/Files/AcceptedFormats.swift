internal import Domain

/// The image formats that a client names in its `Accept` (RFC 9110 section 12.5.1).
///
/// Wildcards are ignored: every browser sends them, including those without support for WebP or AVIF.
struct AcceptedFormats {
    private let types: Set<String>

    init(_ header: String?) {
        types = Set((header ?? "").split(separator: ",").compactMap(AcceptedFormats.type))
    }

    /// The formats of a list that the client accepts, in the list's order.
    func among(_ formats: [ImageFormat]) -> [ImageFormat] {
        formats.filter { types.contains($0.mediaType.description) }
    }

    /// The media type of an entry; `nil` if its weight is zero.
    private static func type(_ entry: Substring) -> String? {
        let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
        return weight == 0 ? nil : parts.first
    }
}
