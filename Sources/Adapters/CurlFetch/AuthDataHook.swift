internal import Curl
package import Domain
package import Logging
package import NIOPosix

/// Verifies third-party log-ins with a URL that the operator configures (docs/accounts.md).
package struct AuthDataHook: AuthDataVerifier {
    private let url: String
    private let timeout: Int
    private let pool: NIOThreadPool
    private let logger: Logger
    private let admission: Admission

    /// - Parameters:
    ///   - url: An http or https URL from the operator, used unchanged.
    ///   - timeout: Seconds for the whole request.
    ///   - pool: Started threads; each request blocks one.
    ///   - logger: Records requests without a response.
    package init(url: String, timeout: Int, pool: NIOThreadPool, logger: Logger) {
        self.url = url
        self.timeout = timeout
        self.pool = pool
        self.logger = logger
        admission = Admission(limit: 256, refusal: "Too many log-ins are being verified; try again in a second.")
    }

    package func verify(_ data: JSONValue, of platform: String, in app: AppID) async throws -> JSONValue {
        var question: [String: JSONValue] = [
            "app": .string(app.description), "platform": .string(platform), "authData": data,
        ]
        question["union"] = AuthData.unionIdentity(of: platform, data).map(JSONValue.string)
        let body = JSONValue.object(question).encoded()
        let refusal = ServiceError(.invalidAuthData, "The linked session of '\(platform)' is invalid.")
        let reply: VerifierReply
        do {
            reply = try await admission.run {
                try await pool.runIfActive { [url, timeout] in
                    try AuthDataHook.post(body, to: url, within: timeout)
                }
            }
        } catch let failure as CurlFailure {
            logger.warning("The verifier of authData gave no answer", metadata: ["error": "\(failure.text)"])
            throw refusal
        }
        guard reply.status == 200 else {
            if !(400..<500).contains(reply.status) {
                logger.warning(
                    "The verifier of authData answered with neither 200 nor 4xx",
                    metadata: ["status": "\(reply.status)"]
                )
            }
            throw refusal
        }
        guard let verified = reply.replacement(of: data) else {
            logger.warning(
                "The verifier of authData answered with too many bytes, or with an authData that is no valid object",
                metadata: ["platform": "\(platform)", "limit": "\(VerifierReply.maxSize)"]
            )
            throw refusal
        }
        return verified
    }

    /// Posts JSON and returns the response; blocks until it arrives.
    ///
    /// - Parameters:
    ///   - body: At least one byte.
    ///   - url: An http or https URL; redirects are not followed.
    ///   - seconds: The limit for the whole request.
    /// - Returns: The response, with its body if the status is 200.
    /// - Throws: `CurlFailure` if no response arrives in time.
    private static func post(
        _ body: [UInt8],
        to url: String,
        within seconds: Int
    ) throws(CurlFailure) -> VerifierReply {
        var handle = try CurlHandle.posting(body, to: url, within: seconds)
        var received: [UInt8] = []
        var isTooLarge = false
        let callbacks = CurlCallbacks(receive: { bytes, status in
            guard status == 200 else { return true }
            isTooLarge = received.count + bytes.count > VerifierReply.maxSize
            if !isTooLarge { received.append(contentsOf: bytes) }
            return !isTooLarge
        })
        do throws(CurlFailure) {
            try handle.perform(callbacks)
        } catch {
            guard isTooLarge else { throw error }
            return VerifierReply(status: 200, body: nil)
        }
        return VerifierReply(status: try handle.status(), body: received)
    }
}

/// The response of the verifier.
private struct VerifierReply: Sendable {
    let status: Int
    /// The body of a response with status 200; `nil` for one of more than ``maxSize`` bytes.
    let body: [UInt8]?

    /// The maximum size of the body in bytes.
    static let maxSize = 64 << 10

    /// The data that the response gives in the place of a client's: the member `authData` of a JSON object.
    ///
    /// - Parameter data: The data of the client, which a body of another form confirms.
    /// - Returns: The data to store; `nil` for a body that is too large, and for an `authData` that is no object or that
    ///   no client could send.
    func replacement(of data: JSONValue) -> JSONValue? {
        guard let body else { return nil }
        guard case .object(let members)? = try? JSONValue(parsing: body, field: "body"),
            let replacement = members["authData"]
        else { return data }
        guard case .object(let normalized)? = try? replacement.normalized(field: "authData") else { return nil }
        return .object(normalized)
    }
}
