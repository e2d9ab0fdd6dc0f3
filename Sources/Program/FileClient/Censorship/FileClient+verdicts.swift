internal import FoundationEssentials

/// Verdicts on images; the calls need the master key.
///
/// Every call throws ``FileClientError``: with status 404 for a file that does not exist, with status 400 for one that
/// is not an image.
extension FileClient {
    /// Checks an image now and returns the result; a person's verdict does not change.
    public func censor(_ objectId: String) async throws -> Verdict {
        struct Reply: Decodable {
            let censorResult: Verdict
        }
        let reply: Reply = try await call("POST", ["files", objectId, "censor"])
        return reply.censorResult
    }

    /// Passes or blocks an image in a person's name, which machines do not change later.
    ///
    /// - Parameters:
    ///   - verdict: ``Verdict/passed`` or ``Verdict/rejected``.
    ///   - objectId: The file's id.
    ///   - note: The reason, at most 1000 bytes.
    ///   - person: The person's name, at most 128 bytes.
    /// - Returns: The new state, without its history.
    /// - Throws: ``FileClientError``.
    public func setVerdict(
        _ verdict: Verdict,
        of objectId: String,
        note: String? = nil,
        by person: String? = nil
    ) async throws -> CensorState {
        struct Decision: Encodable {
            let verdict: Verdict
            let note: String?
            let by: String?
        }
        let body = try JSONEncoder().encode(Decision(verdict: verdict, note: note, by: person))
        return try await call("PUT", ["files", objectId, "censor"], [UInt8](body))
    }

    /// The verdict on a file with its history.
    public func censorState(of objectId: String) async throws -> CensorState {
        try await call("GET", ["files", objectId, "censor"])
    }

    /// The thumbnail of an image as PNG, also of a blocked one; `nil` if the server gives no URL for it.
    ///
    /// The request goes to this client's server, because the URL can have a name that this client does not reach.
    public func thumbnailPNG(of state: CensorState) async throws -> [UInt8]? {
        let path = "/1.1/censorship/files/"
        guard let url = state.thumbnailURL, let start = url.firstRange(of: path)?.lowerBound else { return nil }
        return try await send(Request("GET", server + url[start...] + "/format/png")).body
    }
}
