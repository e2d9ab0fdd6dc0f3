import Domain
import HTTPTypes

@testable import HTTPAPI

extension TestClient {
    /// Sends a statement with the values of its placeholders, by default as a guest.
    func cloudQuery(
        _ statement: String,
        _ values: String? = nil,
        _ headers: HTTPFields = Who.client.headers
    ) async throws -> TestResponse {
        let values = values.map { "&pvalues=\($0.percentEncodedPath)" } ?? ""
        return try await send("GET", "/1.1/cloudQuery?cql=\(statement.percentEncodedPath)\(values)", nil, headers)
    }
}
