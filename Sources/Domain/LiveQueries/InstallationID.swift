/// The id under which a device subscribes and connects: `id` in HTTP, `installationId` in messages (protocol/data 8.1,
/// 8.4).
///
/// A client that knows the id receives the events of its subscriptions, so SDKs generate it at random.
package struct InstallationID: Sendable, Hashable, CustomStringConvertible {
    /// The id.
    package let description: String

    /// The maximum length of an id in bytes of UTF-8.
    package static let maxLength = 256

    /// Checks an id: not empty, not too long, no control characters; `nil` for others.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= InstallationID.maxLength,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        description = text
    }
}
