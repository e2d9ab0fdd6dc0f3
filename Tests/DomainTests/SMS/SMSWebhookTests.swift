import Support
import Synchronization
import Testing

@testable import Domain

/// The requests to the operator's gateway (docs/accounts.md).
@Suite struct SMSWebhookTests {
    private let gateway = FakeGateway()

    private func settings(
        url: String = "https://gateway.example/send",
        headers: [(String, String)] = [],
        body: String = #"{"to":"{{number}}","text":"{{text}}","v":{{variables}},"who":"{{var.who}}"}"#,
        format: SMSWebhook.Format = .json,
        expected: String = "",
        secret: String = ""
    ) throws -> SMSWebhook.Settings {
        SMSWebhook.Settings(
            url: try TextTemplate(url, allowed: nil),
            headers: try headers.map { ($0.0, try TextTemplate($0.1, allowed: nil)) },
            body: try TextTemplate(body, allowed: nil),
            format: format,
            expected: expected,
            secret: Secret(secret),
            timeout: 5
        )
    }

    private func message(_ text: String = "123456", who: String = "Ann") throws -> SMSMessage {
        SMSMessage(
            id: try #require(ObjectID("6b014fd02ccc0416011d10e3")),
            app: try #require(AppID("app")),
            number: try PhoneNumber("13800000000", country: "86"),
            purpose: .generic,
            text: text,
            template: "generic",
            sign: "Shop",
            variables: ["code": "123456", "who": who],
            isVoice: false
        )
    }

    /// Values that would end a string, a pair or a line.
    private static let hostile = ["\"},{\"", "a&b=c#d?e/f", "x\\", "验证 码", "%00 +", "{{code}}", "'; DROP"]

    @Test("a value in JSON stays one value, with any characters", arguments: hostile)
    func json(value: String) async throws {
        try await SMSWebhook(settings(), sender: gateway).send(message(value, who: value))
        let body = try JSONValue(parsing: gateway.last.body, field: "body").objectValue
        #expect(body?["to"] == "+8613800000000")
        #expect(body?["text"] == .string(value))
        #expect(body?["who"] == .string(value))
        #expect(body?["v"] == .object(["code": "123456", "who": .string(value)]))
        #expect(!gateway.last.headers.contains { $0.name == "Content-Type" })
    }

    @Test("a value in a form and in a URL stays one value, with any characters", arguments: hostile)
    func form(value: String) async throws {
        let settings = try settings(
            url: "https://gateway.example/{{purpose}}?who={{var.who}}",
            body: "To={{number}}&Body={{text}}",
            format: .form
        )
        try await SMSWebhook(settings, sender: gateway).send(message(value, who: value))
        let pairs = String(decoding: gateway.last.body, as: UTF8.self).split(separator: "&")
        #expect(pairs.count == 2)
        #expect(pairs.last?.dropFirst(5).percentDecoded == value)
        #expect(pairs.first == "To=%2B8613800000000")
        let url = gateway.last.url
        #expect(url.hasPrefix("https://gateway.example/generic?who="))
        #expect(url.split(separator: "=").last?.percentDecoded == value)
        let type = gateway.last.headers.first { $0.name == "Content-Type" }
        #expect(type?.value == "application/x-www-form-urlencoded")
    }

    @Test("a value in a header field begins no further one")
    func header() async throws {
        let settings = try settings(headers: [("Authorization", "Basic abc"), ("X-Who", "{{var.who}}")])
        try await SMSWebhook(settings, sender: gateway).send(message(who: "a\r\nX-Evil: 1"))
        #expect(
            gateway.last.headers.map { "\($0.name): \($0.value)" } == ["Authorization: Basic abc", "X-Who: aX-Evil: 1"]
        )
    }

    @Test("requests are signed if there is a secret")
    func signature() async throws {
        try await SMSWebhook(settings(secret: "0123456789abcdef"), sender: gateway).send(message())
        let headers = Dictionary(uniqueKeysWithValues: gateway.last.headers.map { ($0.name, $0.value) })
        try WebhookSignature.verify(
            gateway.last.body,
            timestamp: headers["X-LC-Sms-Timestamp"],
            signature: headers["X-LC-Sms-Signature"],
            secret: Secret("0123456789abcdef"),
            at: .now()
        )
    }

    @Test(
        "the answer decides what becomes of the SMS",
        arguments: [
            (200, "", nil), (204, "", nil), (400, "", .refused), (422, "", .refused), (401, "", .unavailable),
            (404, "", .unavailable), (408, "", .deferred), (429, "", .deferred), (500, "", .deferred),
            (302, "", .deferred), (200, "no", .deferred),
        ] as [(Int, String, DeliveryFailure.Kind?)]
    )
    func answers(status: Int, body: String, expected: DeliveryFailure.Kind?) async throws {
        gateway.answer(WebhookReply(status: status, body: Array((body.isEmpty ? #"{"Code":"OK"}"# : body).utf8)))
        var kind: DeliveryFailure.Kind?
        do {
            try await SMSWebhook(settings(expected: #""Code":"OK""#), sender: gateway).send(message())
        } catch let failure as DeliveryFailure {
            kind = failure.kind
            #expect(!failure.description.contains("123456") && !failure.description.contains("138"))
        }
        #expect(kind == expected)
    }

    @Test(
        "of an answer that is too long, the status and the beginning decide: the SMS is not sent twice",
        arguments: [("OK", nil), ("no", .deferred)] as [(String, DeliveryFailure.Kind?)]
    )
    func longAnswer(expected: String, kind: DeliveryFailure.Kind?) async throws {
        gateway.answer(WebhookReply(status: 200, body: Array("OK".utf8), isWhole: false))
        let webhook = SMSWebhook(try settings(expected: expected), sender: gateway)
        var failure: DeliveryFailure?
        do {
            try await webhook.send(message())
        } catch let error as DeliveryFailure {
            failure = error
        }
        #expect(failure?.kind == kind)
    }

    @Test("a gateway that cannot be reached stops the queue, a slow one defers the SMS")
    func failures() async throws {
        for (code, expected) in [
            (ServiceError.Code.badRequest, DeliveryFailure.Kind.unavailable), (.timedOut, .deferred),
        ] {
            gateway.fail(ServiceError(code, "It cannot be reached."))
            let failure = await #expect(throws: DeliveryFailure.self) {
                try await SMSWebhook(settings(), sender: gateway).send(message())
            }
            #expect(failure?.kind == expected)
        }
    }
}

/// A gateway that records requests.
private final class FakeGateway: WebhookSender {
    struct Request: Sendable {
        var body: [UInt8] = []
        var url = ""
        var headers: [(name: String, value: String)] = []
    }

    private let state = Mutex<(last: Request, reply: Result<WebhookReply, ServiceError>)>(
        (Request(), .success(WebhookReply(status: 200, body: [])))
    )

    var last: Request { state.withLock(\.last) }

    func answer(_ reply: WebhookReply) {
        state.withLock { $0.reply = .success(reply) }
    }

    func fail(_ error: ServiceError) {
        state.withLock { $0.reply = .failure(error) }
    }

    func post(
        _ body: [UInt8],
        to url: RemoteURL,
        headers: [(name: String, value: String)],
        within seconds: Int
    ) async throws -> WebhookReply {
        try state.withLock { state in
            state.last = Request(body: body, url: url.description, headers: headers)
            return try state.reply.get()
        }
    }
}
