internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Misspelt parameters of the requests of a batch, for the header of its response (``ParameterWarnings``).
///
/// A name is compared once, however many requests have it, and only the first unknown names are.
struct BatchWarnings {
    private var lines: [String] = []
    private var compared: Set<String> = []
    /// The number of requests so far.
    private var count = 0

    /// Looks at the parameters of the next request; `nil` for one that could not be parsed.
    mutating func add(_ parameters: ObjectParameters?) {
        defer { count += 1 }
        for name in parameters?.givenNames ?? [] where ParameterWarnings.isUnknown(name) {
            guard compared.count < ParameterWarnings.maxCompared, compared.insert(name).inserted,
                lines.count < ParameterWarnings.limit, let warning = ParameterWarnings.warning(about: name)
            else { continue }
            lines.append("requests[\(count)]: \(warning)")
        }
    }

    /// The response with the warnings.
    func added(to response: Response) -> Response {
        guard !lines.isEmpty else { return response }
        var response = response
        response.headers[values: ParameterWarnings.field] += lines
        return response
    }
}
