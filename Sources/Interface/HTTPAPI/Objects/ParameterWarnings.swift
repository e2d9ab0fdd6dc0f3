internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Names parameters that no call has, but that resemble one, in a header of the response; of a batch,
/// ``BatchWarnings`` does.
///
/// A misspelt `where` would return every object. It is not refused, because LeanCloud ignores unknown parameters, and
/// SDKs, apps and proxies can add their own.
enum ParameterWarnings {
    /// The header: one line for each parameter.
    static let field = HTTPField.Name.known("X-LC-Warning")

    /// The maximum number of lines.
    static let limit = 5
    /// The maximum number of unknown names that are compared: a query of 80 KB has tens of thousands, and each comparison
    /// takes microseconds.
    static let maxCompared = 20
    /// The maximum length of a name, twice that of the longest parameter.
    private static let longest = 48

    /// Adds the warnings about the parameters of a request to its response.
    static func add(to response: inout Response, for request: Request) {
        let warnings = request.uri.query.map(ParameterWarnings.warnings) ?? []
        if !warnings.isEmpty { response.headers[values: ParameterWarnings.field] += warnings }
    }

    /// The warnings about a query string, one for each name, however often it is there.
    static func warnings(about query: String) -> [String] {
        let names = query.utf8.split(separator: UInt8(ascii: "&"))
            .compactMap { $0.split(separator: UInt8(ascii: "="), maxSplits: 1).first.map(Substring.init) }
        var seen: Set<String> = []
        let unknown = names.map(String.init).filter { isUnknown($0) && seen.insert($0).inserted }
        return Array(unknown.prefix(maxCompared).compactMap(warning).prefix(limit))
    }

    /// Whether a name is that of no parameter; other characters than these are in no name, and some of them are not
    /// allowed in a header.
    static func isUnknown(_ name: String) -> Bool {
        name.utf8.count <= longest && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x5f }
            && !known.contains(name)
    }

    private static let known = Set(ObjectParameters.names)

    /// The warning about an unknown name; `nil` if it resembles none.
    static func warning(about name: String) -> String? {
        ObjectParameters.names.nearest(to: name).map { "unknown parameter '\(name)'; did you mean '\($0)'?" }
    }
}
