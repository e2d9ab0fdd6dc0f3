/// The pages to which the page behind a link can lead its reader (`mail.redirects`).
///
/// Every other page is refused: no client can make this server send mails that lead to a page of the client.
package struct RedirectTargets: Sendable, Hashable {
    private let beginnings: [String]

    /// Creates a list from http or https URLs without a slash at their end.
    package init(_ beginnings: [String] = []) {
        self.beginnings = beginnings
    }

    /// Whether a URL is one of the list, or lies below one.
    package func allow(_ url: String) -> Bool {
        // A browser treats a backslash as a slash, and resolves dot segments, also encoded ones.
        guard url.utf8.count <= 2000, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"\\\"<>".utf8.contains($0) })
        else { return false }
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        guard !path.contains("@"), !path.replacing("%2e", with: ".").split(separator: "/").contains("..") else {
            return false
        }
        return beginnings.contains { beginning in
            guard url.hasPrefix(beginning) else { return false }
            return [nil, "/", "?", "#"].contains(url.dropFirst(beginning.count).first)
        }
    }

    /// The member `redirect` of a body; `nil` without one.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for a URL that is not allowed.
    package func checked(_ value: JSONValue?) throws -> String? {
        guard let value, value != .null else { return nil }
        guard let url = value.stringValue, allow(url) else {
            throw ServiceError(
                .badRequest,
                "redirect must be an http or https URL that begins with one of the URLs in mail.redirects."
            )
        }
        return url
    }
}
