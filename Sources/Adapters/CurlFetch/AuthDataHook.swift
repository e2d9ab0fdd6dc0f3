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

    package func verify(_ data: JSONValue, of platform: String, in app: AppID) async throws {
        var question: [String: JSONValue] = [
            "app": .string(app.description), "platform": .string(platform), "authData": data,
        ]
        question["union"] = AuthData.unionIdentity(of: platform, data).map(JSONValue.string)
        let body = JSONValue.object(question).encoded()
        let refusal = ServiceError(.invalidAuthData, "The linked session of '\(platform)' is invalid.")
        let status: Int
        do {
            status = try await admission.run {
                try await pool.runIfActive { [url, timeout] in
                    try AuthDataHook.statusOfPost(body, to: url, within: timeout)
                }
            }
        } catch let failure as CurlFailure {
            logger.warning("The verifier of authData gave no answer", metadata: ["error": "\(failure.text)"])
            throw refusal
        }
        guard status != 200 else { return }
        if !(400..<500).contains(status) {
            logger.warning(
                "The verifier of authData answered with neither 200 nor 4xx",
                metadata: ["status": "\(status)"]
            )
        }
        throw refusal
    }

    /// Posts JSON and returns the status of the response, ignoring its body; blocks until the response arrives.
    ///
    /// - Parameters:
    ///   - body: At least one byte.
    ///   - url: An http or https URL; redirects are not followed.
    ///   - seconds: The limit for the whole request.
    /// - Returns: The status.
    /// - Throws: `CurlFailure` if no response arrives in time.
    private static func statusOfPost(
        _ body: [UInt8],
        to url: String,
        within seconds: Int
    ) throws(CurlFailure) -> Int {
        var handle = try CurlHandle.posting(body, to: url, within: seconds)
        try handle.perform(CurlCallbacks(receive: { _, _ in true }))
        return try handle.status()
    }
}
