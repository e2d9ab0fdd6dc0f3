package import Domain
internal import Synchronization

/// An SMS gateway in memory: it keeps what it accepts, and refuses as it is told.
package final class MemorySMSSender: SMSSender {
    private let state = Mutex<(accepted: [SMSMessage], failures: [DeliveryFailure])>(([], []))

    package init() {}

    /// The accepted messages, in order.
    package var accepted: [SMSMessage] { state.withLock(\.accepted) }

    /// Makes the next attempts fail.
    package func fail(_ failures: [DeliveryFailure]) {
        state.withLock { $0.failures += failures }
    }

    package func send(_ message: SMSMessage) async throws {
        try state.withLock { state in
            guard state.failures.isEmpty else { throw state.failures.removeFirst() }
            state.accepted.append(message)
        }
    }
}

/// The SMS of a test's app: a gateway in memory, settings, and a clock that the test moves.
package struct SMSFixture: Sendable {
    /// The gateway.
    package let sender = MemorySMSSender()
    /// The settings; without limits, which have tests of their own.
    package var settings = SMSSettings()
    /// Numbers with fixed codes.
    package var fixed = FixedNumbers()
    /// Whether SMS are sent.
    package var canSend = true
    /// Whether operators see codes.
    package var showsCodes = false
    /// Whether an SMS needs a solved captcha.
    package var requiresCaptcha = false
    /// The texts.
    package var templates: SMSTemplates
    /// The time.
    package let clock = MovedClock()
    /// The secret of the app.
    package let masterKey = Secret("master-key")

    package init(_ files: [String: String] = [:]) throws {
        templates = try SMSTemplates(replacing: files, appName: "Example")
        settings.limits.perMinute = 0
        settings.limits.perDay = 0
        settings.limits.perClient = 0
        settings.limits.perApp = 0
        settings.retryPause = 60
    }

    /// What the app does with SMS.
    package func policy() -> SMSPolicy {
        SMSPolicy(
            settings: settings,
            allowance: SMSAllowance(settings.limits),
            secret: SMSSecret(masterKey: masterKey),
            fixed: fixed,
            templates: templates,
            canSend: canSend,
            showsCodes: showsCodes
        )
    }

    /// The queue of an app.
    package func queue(_ store: any ObjectStore, of app: AppID) -> SMSQueue {
        SMSQueue(app: app, store: store, policy: policy(), sender: sender, clock: { [clock] in clock.now })
    }

    /// The captchas of an app.
    package func captchas(_ store: any ObjectStore) -> CaptchaService {
        CaptchaService(
            store: store,
            secret: CaptchaSecret(masterKey: masterKey),
            painter: LegiblePainter(),
            isRequired: requiresCaptcha,
            clock: { [clock] in clock.now }
        )
    }

    /// The codes in the accepted messages, in order.
    package var codes: [String] { sender.accepted.compactMap { $0.variables["code"] } }
}

/// Draws captchas that a test can read.
package struct LegiblePainter: CaptchaPainter {
    package init() {}

    package func paint(_ picture: CaptchaPicture) async throws -> [UInt8] { Array(picture.characters.utf8) }
}
