package import Logging

/// The workers of one app's SMS queue (docs/accounts.md, "SMS").
package typealias SMSQueue = DeliveryQueue<SMSWork>

/// What the SMS queue does with an SMS: it derives its code, and hands it to the provider.
package struct SMSWork: DeliveryWork {
    private let app: AppID
    private let policy: SMSPolicy
    private let sender: any SMSSender
    private let ids: ObjectIDGenerator

    init(app: AppID, policy: SMSPolicy, sender: any SMSSender, ids: ObjectIDGenerator) {
        self.app = app
        self.policy = policy
        self.sender = sender
        self.ids = ids
    }

    /// The code of an SMS.
    package struct SecretPart: Sendable {
        /// The code; `nil` for a text without one.
        fileprivate let code: Secret?
        /// Whether the code has ended before the SMS was accepted.
        fileprivate let hasEnded: Bool
    }

    package static let words = DeliveryWords(
        one: "SMS",
        oneAtStart: "An SMS",
        manyAtStart: "SMS",
        command: "lcfile sms retry"
    )

    package var settings: DeliverySettings { policy.settings.delivery }

    package func secretPart(
        of message: QueuedSMS,
        in writer: any WriteTransaction,
        at now: Timestamp
    ) throws -> SecretPart? {
        guard !message.isEmpty else { return nil }
        guard let nonce = message.nonce else { return SecretPart(code: nil, hasEnded: false) }
        // A code that was used, is void or has a successor needs no SMS.
        guard let code = try writer.smsCode(message.purpose, to: message.number), code.nonce == nonce else {
            return nil
        }
        return SecretPart(code: policy.value(of: code), hasEnded: code.expiresAt <= now)
    }

    package func send(_ message: QueuedSMS, _ secret: SecretPart, at now: Timestamp) async throws {
        guard !secret.hasEnded else {
            throw DeliveryFailure(.refused, "The code ended before the SMS was accepted.")
        }
        var values = message.content.variables
        values["name"] = values["name"] ?? policy.templates.appName
        values["code"] = secret.code?.revealed
        values["ttl"] = String(max(1, message.lifetime / 60))
        let sign = message.content.sign.isEmpty ? policy.settings.sign : message.content.sign
        values["sign"] = sign
        values["template"] = message.content.template
        guard let text = policy.templates.text(message.content, sign: sign, values) else {
            throw DeliveryFailure(.refused, "The template does not exist any more (sms.templates).")
        }
        try await sender.send(
            SMSMessage(
                id: message.id,
                app: app,
                number: message.number,
                purpose: message.purpose,
                text: text,
                template: message.content.template,
                sign: sign,
                variables: values,
                isVoice: message.content.isVoice
            )
        )
    }

    package func end(of message: QueuedSMS) -> Timestamp {
        let life = message.nonce == nil ? settings.giveUpAfter : min(message.lifetime, settings.giveUpAfter)
        return message.turn.since.adding(seconds: life)
    }

    /// An SMS that is sent again has a new code, unless the number got a later SMS.
    package func renew(_ message: inout QueuedSMS, in writer: any WriteTransaction, at now: Timestamp) throws {
        guard let nonce = message.nonce else { return }
        let last = try writer.smsCode(message.purpose, to: message.number)
        guard last == nil || last?.nonce == nonce else { return }
        let new = SMSSecret.nonce()
        message.nonce = new
        try writer.save(
            SMSCode(
                message.purpose,
                to: message.number,
                of: message.user,
                nonce: new,
                until: now.adding(seconds: message.lifetime),
                id: ids.next(),
                at: now
            )
        )
    }

    package func expired(at now: Timestamp) -> [(name: ClassName, condition: Condition)] {
        let gone = Condition.hasExpired(at: now.adding(seconds: -SMSWork.afterlife))
        return [(.smsCode, gone), (.captcha, .hasExpired(at: now))]
    }

    /// Seconds for which a code that has ended is stored: longer than the longest pause between two attempts to send it,
    /// because an SMS without a code is not needed, and one whose code has ended becomes a dead letter.
    private static let afterlife = 7200
}

extension DeliveryQueue where Work == SMSWork {
    /// - Parameters:
    ///   - app: The app.
    ///   - store: Contains the queue.
    ///   - policy: What the app does with SMS.
    ///   - sender: Sends them.
    ///   - ids: Generates ids of rows.
    ///   - clock: Returns the current time.
    ///   - logger: Logs outages of the gateway, and dead letters.
    package convenience init(
        app: AppID,
        store: any ObjectStore,
        policy: SMSPolicy,
        sender: any SMSSender,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        logger: Logger? = nil
    ) {
        let work = SMSWork(app: app, policy: policy, sender: sender, ids: ids)
        self.init(app: app, store: store, work: work, clock: clock, logger: logger)
    }
}
