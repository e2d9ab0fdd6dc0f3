internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// A file at a URL on another server: its record alone, or with `fetch` a copy of its bytes (docs/uploads.md, section
/// 11).
struct RemoteFile: Sendable {
    let app: AppServices
    let caller: Caller
    /// The client's connection; the copy is cancelled when it closes.
    let channel: any Channel

    /// Responds to a body such as `{"url":…}`.
    ///
    /// A name in the path takes precedence, and the response is then the whole record (JavaScript 1.x).
    func answer(_ body: JSONValue, name: FileName?) async throws -> Response {
        var members = body.objectValue
        if let name { members?["name"] = .string(name.description) }
        guard let members else { throw ServiceError(.malformedJSON, "The body must be a JSON object.") }
        switch members["fetch"] {
        case nil, .null, .bool(false):
            return try await record(members, showsAll: name != nil)
        case .bool(true):
            return try await copy(members)
        default:
            throw ServiceError(.badRequest, "fetch must be true or false.")
        }
    }

    private func record(_ members: [String: JSONValue], showsAll: Bool) async throws -> Response {
        let change = try ObjectChange(file: .object(members))
        let command = ObjectCommand(.file, .create(change, returnsObject: showsAll))
        let reply = try await app.objects.perform(command, as: caller)
        let id = reply.created?.id.description ?? ""
        return reply.json.response(
            status: .created,
            headers: [.location: "/1.1/classes/_File/\(id)"]
        )
    }

    /// Whether a body requests a copy.
    static func isCopy(_ body: JSONValue) -> Bool {
        body.objectValue?["fetch"] == .bool(true)
    }

    private func copy(_ members: [String: JSONValue]) async throws -> Response {
        guard let text = members["url"]?.stringValue else {
            throw ServiceError(.badRequest, "url must be the http or https address to fetch.")
        }
        let url = try RemoteURL(text)
        var members = members
        if members["name"] ?? .null == .null {
            let limit = app.uploads.limits.nameLength(for: caller)
            members["name"] = url.lastPathSegment(limit: limit).map(JSONValue.string)
        }
        let description = try UploadDescription(members, by: caller, within: app.uploads.limits)
        let record = try await ClientPresence.required(on: channel) { [app, caller] in
            try await app.uploads.copy(url, description, as: caller)
        }
        return record.created(in: app)
    }
}
