internal import Curl

/// One exchange of a web identity token for temporary credentials, on one thread.
final class WebIdentityExchange {
    private let identity: WebIdentity
    private let goesOn: () -> Bool
    private var body: [UInt8] = []
    private var isTooLarge = false

    /// Seconds for making a connection.
    private static let connectTimeout = 10
    /// Seconds for the whole exchange.
    private static let timeout = 20
    /// The maximum number of bytes of an answer.
    private static let maxAnswerSize = 64 << 10

    /// - Parameters:
    ///   - identity: What is exchanged, and where.
    ///   - goesOn: Called about once a second; after `false` the exchange ends.
    init(_ identity: WebIdentity, goesOn: @escaping () -> Bool) {
        self.identity = identity
        self.goesOn = goesOn
    }

    /// Reads the token, sends it and reads the answer.
    ///
    /// Blocks. An exchange is for one call.
    ///
    /// - Returns: The credentials, and the seconds since 1970 at which they end.
    /// - Throws: The errors of ``WebIdentitySource/credentials(while:)``.
    func perform() throws(S3Error) -> (credentials: S3Credentials, end: Int64) {
        guard goesOn() else { throw S3Exchange.stopped }
        let token = try identity.token()
        let status: Int
        do throws(CurlFailure) {
            status = try send(identity.form(token))
        } catch {
            throw meaning(of: error)
        }
        let document = try? XMLElement(parsing: body)
        guard (200..<300).contains(status) else { throw refusal(status, document, token) }
        guard let found = WebIdentityExchange.credentials(in: document) else {
            throw S3Error(.unavailable, "the answer of \(identity.endpoint) has no credentials")
        }
        return found
    }

    /// Sends the form and returns the status of the answer, whose body is in ``body`` then.
    private func send(_ form: String) throws(CurlFailure) -> Int {
        var handle = try CurlHandle()
        try handle.set(.url, "\(identity.endpoint)/")
        try handle.setBody(Array(form.utf8))
        try handle.addHeader("Content-Type: application/x-www-form-urlencoded")
        // Many services do not answer it, which costs a second each time.
        try handle.addHeader("Expect:")
        try handle.useHTTP1()
        try handle.set(.allowsHTTP09, false)
        try handle.set(.readsNetrc, false)
        try handle.set(.refusesUserNames, true)
        try handle.set(.userAgent, S3Options().userAgent)
        try handle.set(.connectTimeout, WebIdentityExchange.connectTimeout)
        try handle.set(.timeout, WebIdentityExchange.timeout)
        try handle.perform(
            CurlCallbacks(receive: { bytes, _ in self.receive(bytes) }, goesOn: { _ in self.goesOn() })
        )
        return try handle.status()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = body.count + bytes.count > WebIdentityExchange.maxAnswerSize
        guard !isTooLarge else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    /// The credentials in an answer; `nil` if one is missing or could not be sent in a header field.
    private static func credentials(in document: XMLElement?) -> (credentials: S3Credentials, end: Int64)? {
        let found = document?.child("AssumeRoleWithWebIdentityResult")?.child("Credentials")
        func text(_ name: String) -> String? {
            found?.text(of: name).flatMap { text in
                !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
            }
        }
        guard let accessKey = text("AccessKeyId"), let secretKey = text("SecretAccessKey"),
            let token = text("SessionToken"), let end = text("Expiration").flatMap({ SigningTime.seconds(ofXML: $0) })
        else { return nil }
        return (S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token), end)
    }

    /// Codes of AWS with status 400 that a later attempt does not get: too many requests, and a provider of tokens that
    /// AWS cannot reach.
    private static let temporaryCodes: Set = ["Throttling", "IDPCommunicationError"]

    /// The meaning of an answer that is not 2xx.
    private func refusal(_ status: Int, _ document: XMLElement?, _ token: String) -> S3Error {
        let element = document?.name == "Error" ? document : document?.child("Error")
        // A service that quotes the token must not bring it to a log.
        let texts = ["Code", "Message"].map { name in
            element?.text(of: name).flatMap { $0.contains(token) ? nil : $0 } ?? ""
        }
        let detail = texts.filter { !$0.isEmpty }.joined(separator: ": ")
        let answer = S3Refusal.line(detail.isEmpty ? "status \(status)" : "\(status) \(detail)")
        let isTemporary = status >= 500 || status == 408 || status == 429
        if isTemporary || WebIdentityExchange.temporaryCodes.contains(texts[0]) {
            let text = "\(identity.endpoint) cannot give credentials now (\(answer))"
            return S3Error(.unavailable, text, code: texts[0], isTemporary: true)
        }
        let text =
            "\(identity.endpoint) refuses the web identity token of \(identity.tokenFile), check the role and whom it "
            + "trusts (\(answer))"
        return S3Error(.refused, text, code: texts[0], isTemporary: false)
    }

    /// The meaning of an exchange without a complete answer.
    private func meaning(of failure: CurlFailure) -> S3Error {
        guard goesOn() else { return S3Exchange.stopped }
        let endpoint = identity.endpoint
        if isTooLarge {
            let limit = WebIdentityExchange.maxAnswerSize
            return S3Error(.unavailable, "the answer of \(endpoint) has more than \(limit) bytes")
        }
        let detail = failure.detail.isEmpty ? failure.text : failure.detail
        return switch failure.reason {
        case .unreachable, .timedOut, .brokenOff, .other:
            S3Error(.unavailable, "\(endpoint) gave no credentials: \(detail)", isTemporary: true)
        case .encryptionFailed:
            S3Error(.unavailable, "the connection to \(endpoint) cannot be encrypted: \(detail)")
        case .unusableAddress:
            S3Error(.settings, "'\(endpoint)' is not the URL of a security token service")
        case .tooLarge, .tooManyRedirects, .unexpectedReply, .logInRefused, .stopped:
            S3Error(.unavailable, "\(endpoint) does not answer as a security token service: \(failure.text)")
        }
    }
}
