/// The query of a file URL, split into the signature and everything else.
///
/// The names are those of Qiniu's private buckets: `?imageView2/1/w/200&e=1767225600&token=…`. SDKs append the
/// operators of a thumbnail to the URL of a record, which already has a query:
/// `?e=1767225600&token=…?imageView/2/w/200`. Here that means the same.
package struct SignedQuery: Sendable {
    /// The query without the signature, operators first; `nil` if nothing is left.
    package let rest: String?
    /// The time until which the URL is valid; `nil` if it is missing or malformed.
    let expires: UnixSeconds?
    /// The signature; `nil` if there is none.
    let signature: String?

    /// Splits a query; every string has a result.
    package init(_ query: String?) {
        guard let query, query.contains("token=") || query.contains("e=") else {
            rest = query
            expires = nil
            signature = nil
            return
        }
        var operators: Substring?
        var others: [Substring] = []
        var values: [String: Substring] = [:]
        for parameter in query.split(separator: "&", omittingEmptySubsequences: false) {
            let name = ["e", "token"].first { parameter.hasPrefix("\($0)=") }
            guard let name, values[name] == nil else {
                others.append(parameter)
                continue
            }
            let value = parameter.dropFirst(name.count + 1)
            values[name] = value.prefix { $0 != "?" }
            if let end = value.firstIndex(of: "?") { operators = value[value.index(after: end)...] }
        }
        if let operators { others.insert(operators, at: 0) }
        rest = others.isEmpty ? nil : others.joined(separator: "&")
        expires = values["e"].flatMap { UnixSeconds($0) }
        signature = values["token"].map(String.init)
    }
}
