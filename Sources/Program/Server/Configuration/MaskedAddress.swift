extension String {
    /// The string with `…` in the place of the user and the password of a URL (RFC 3986 section 3.2.1).
    ///
    /// A refused value can lack the scheme, so everything between the scheme, if there is one, and the last `@` is masked.
    var withoutUserInformation: String {
        guard let end = lastIndex(of: "@") else { return self }
        let scheme = firstRange(of: "://").flatMap { range in
            range.upperBound <= end && self[..<range.lowerBound].allSatisfy(\.isLetter) ? range.upperBound : nil
        }
        return "\(self[..<(scheme ?? startIndex)])…\(self[end...])"
    }

    /// The string with `…` also in the place of the path and the query, where some services expect a secret.
    var withoutPathOfAddress: String {
        let masked = withoutUserInformation
        let host = masked.lastIndex(of: "@") ?? masked.firstRange(of: "//")?.upperBound ?? masked.startIndex
        guard let end = masked[host...].firstIndex(where: { "/?#".contains($0) }) else { return masked }
        return "\(masked[...end])…"
    }
}
