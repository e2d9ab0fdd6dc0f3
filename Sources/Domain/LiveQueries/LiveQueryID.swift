internal import Crypto

/// The id of a live query, `query_id` (protocol/data 8.1).
///
/// It is computed from the installation, the class and the condition: SDKs subscribe again after each connection loss
/// and ignore the new id, so the same query must always have the same id.
package struct LiveQueryID: Sendable, Hashable, CustomStringConvertible {
    /// The id: 32 hexadecimal digits, or the text that a client sent.
    package let description: String

    /// Takes an id that a client sent; an unknown one belongs to no query.
    package init(_ text: String) {
        description = text
    }

    /// Computes the id of a query.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - installation: The installation that subscribes.
    ///   - query: The parts of the query that decide its events, as JSON.
    package init(of app: AppID, _ installation: InstallationID, _ query: JSONValue) {
        let parts = JSONValue.array([.string(app.description), .string(installation.description), query])
        let digest = SHA256.hash(data: parts.encoded())
        description = digest.prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
