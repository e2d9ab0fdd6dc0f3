internal import Domain
internal import Hummingbird
internal import NIOCore

/// The oldest dialect: the bytes as Base64 in a JSON body (protocol/files 3.1).
struct Base64Upload: Sendable {
    let app: AppServices
    let caller: Caller

    func answer(_ members: [String: JSONValue], _ digits: Base64Input, _ name: FileName) async throws -> Response {
        var members = members
        members["name"] = .string(name.description)
        let claimed = MediaType(claimed: members["_ContentType"]?.stringValue)
        members["mime_type"] = members["mime_type"] ?? claimed.map { .string($0.description) }
        let description = try UploadDescription(members, by: caller, within: app.uploads.limits)
        guard var pieces = Base64Pieces(digits) else {
            throw ServiceError(.badRequest, "base64 must be valid Base64.")
        }
        let size = Int64(pieces.byteCount)
        let record = try await app.uploads.receive(description, announced: size, as: caller) { file in
            while let piece = pieces.next() { try await file.append(piece) }
        }
        // The SDKs of this dialect read the size here.
        return record.created(in: app, with: ["size": .integer(record.facts.size)])
    }
}
