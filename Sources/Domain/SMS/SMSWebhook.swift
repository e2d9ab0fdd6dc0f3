/// Sends SMS through a gateway of the operator: a POST whose URL, header fields and body are templates
/// (`sms.webhook…`, docs/accounts.md).
package struct SMSWebhook: SMSSender {
    /// How values are escaped in the body.
    package enum Format: String, Sendable, CaseIterable {
        /// `application/json`: values stand inside quotation marks.
        case json
        /// `application/x-www-form-urlencoded`.
        case form
        /// No body: the values are in the query string of the URL.
        case query
    }

    /// The settings of the webhook.
    package struct Settings: Sendable {
        /// The URL; values in it are percent-encoded.
        package var url: TextTemplate
        /// The header fields.
        package var headers: [(name: String, value: TextTemplate)]
        /// The body.
        package var body: TextTemplate
        /// How values are escaped in the body.
        package var format: Format
        /// A text that the answer to an accepted SMS has; empty accepts each answer with a status from 200 to 299.
        package var expected: String
        /// Signs the requests; an empty one signs none.
        package var secret: Secret
        /// Seconds for one request.
        package var timeout: Int

        /// Creates settings.
        package init(
            url: TextTemplate,
            headers: [(name: String, value: TextTemplate)],
            body: TextTemplate,
            format: Format,
            expected: String,
            secret: Secret,
            timeout: Int
        ) {
            self.url = url
            self.headers = headers
            self.body = body
            self.format = format
            self.expected = expected
            self.secret = secret
            self.timeout = timeout
        }
    }

    /// The header field with the time of signing.
    package static let timestampHeader = "X-LC-Sms-Timestamp"
    /// The header field with the signature: see ``WebhookSignature/signature``.
    package static let signatureHeader = "X-LC-Sms-Signature"

    /// The variables of all templates; `var.<name>` is one of the SMS template.
    package static let variables = [
        "id", "app", "number", "digits", "text", "code", "ttl", "name", "sign", "template", "purpose",
        "type", "variables",
    ]

    private let settings: Settings
    private let sender: any WebhookSender

    /// - Parameters:
    ///   - settings: The settings.
    ///   - sender: Sends requests.
    package init(_ settings: Settings, sender: any WebhookSender) {
        self.settings = settings
        self.sender = sender
    }

    package func send(_ message: SMSMessage) async throws {
        let values = message.webhookValues
        let url: RemoteURL
        do {
            url = try RemoteURL(settings.url.filled(values) { $1.percentEncodedQuery })
        } catch {
            throw DeliveryFailure(.refused, "The URL of sms.webhook is not valid for this SMS.")
        }
        let body = Array(settings.body.filled(values, escape: settings.format.escaped).utf8)
        var headers = settings.headers.map { ($0.name, $0.value.filled(values) { $1.asHeaderValue }) }
        switch settings.format {
        case .json: break
        case .form, .query: headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        }
        if !settings.secret.revealed.isEmpty {
            let signature = WebhookSignature(of: body, secret: settings.secret, at: .now())
            headers += signature.headers(
                timestamp: SMSWebhook.timestampHeader,
                signature: SMSWebhook.signatureHeader
            )
        }
        let reply: WebhookReply
        do {
            reply = try await sender.post(body, to: url, headers: headers, within: settings.timeout)
        } catch let error as CancellationError {
            throw error
        } catch let error as ServiceError where error.code == .timedOut {
            throw DeliveryFailure(.deferred, "The SMS gateway did not answer in time (sms.webhookTimeout).")
        } catch {
            let reason = (error as? ServiceError)?.message ?? "It cannot be called."
            throw DeliveryFailure(.unavailable, "The SMS gateway cannot be used. \(reason)")
        }
        try check(reply)
    }

    /// Throws unless the gateway accepted the SMS.
    private func check(_ reply: WebhookReply) throws(DeliveryFailure) {
        switch reply.status {
        case 200..<300:
            let text = String(decoding: reply.body, as: UTF8.self)
            guard settings.expected.isEmpty || text.contains(settings.expected) else {
                throw DeliveryFailure(.deferred, "The answer of the SMS gateway does not have sms.webhookExpects.")
            }
        case 400, 410, 422:
            throw DeliveryFailure(.refused, "The SMS gateway refused the SMS with status \(reply.status).")
        case 401, 403, 404, 405:
            throw DeliveryFailure(
                .unavailable,
                "The SMS gateway refused the request with status \(reply.status) (sms.webhook…)."
            )
        case let status:
            throw DeliveryFailure(.deferred, "The SMS gateway answered with status \(status).")
        }
    }
}

extension SMSWebhook.Format {
    /// A value as it stands in the body; `variables` is a JSON object already.
    fileprivate func escaped(_ name: String, _ value: String) -> String {
        switch self {
        case .json where name == "variables": value
        // Without the quotation marks, which the template has.
        case .json: String(decoding: JSONValue.string(value).encoded().dropFirst().dropLast(), as: UTF8.self)
        case .form, .query: value.percentEncodedQuery
        }
    }
}

extension SMSMessage {
    /// The values of the variables of the webhook's templates.
    fileprivate var webhookValues: [String: String] {
        var values = [
            "id": id.description, "app": app.description, "number": number.description,
            "digits": String(number.description.dropFirst()), "text": text, "template": template, "sign": sign,
            "purpose": purpose.rawValue,
            "type": isVoice ? "voice" : "sms",
            "variables": String(
                decoding: JSONValue.object(variables.mapValues(JSONValue.string)).encoded(),
                as: UTF8.self
            ),
        ]
        for name in ["code", "ttl", "name"] { values[name] = variables[name] }
        for (name, value) in variables { values["var.\(name)"] = value }
        return values
    }
}

extension String {
    /// The string with every byte except unreserved characters as `%XX` (RFC 3986 section 2.1).
    fileprivate var percentEncodedQuery: String { percentEncodedPath.replacing("/", with: "%2F") }

    /// The string without characters that end a header field.
    fileprivate var asHeaderValue: String {
        String(decoding: utf8.filter { $0 >= 0x20 && $0 != 0x7f }, as: UTF8.self)
    }
}
