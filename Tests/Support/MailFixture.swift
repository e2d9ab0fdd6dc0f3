package import Domain
internal import Synchronization

/// A mail server in memory: it keeps what it accepts, and refuses as it is told.
package final class MemoryMailSender: MailSender {
    private let state = Mutex<(accepted: [MailMessage], failures: [DeliveryFailure])>(([], []))

    package init() {}

    /// The accepted messages, in order.
    package var accepted: [MailMessage] { state.withLock(\.accepted) }

    /// Makes the next attempts fail.
    package func fail(_ failures: [DeliveryFailure]) {
        state.withLock { $0.failures += failures }
    }

    package func send(_ message: MailMessage) async throws {
        try state.withLock { state in
            guard state.failures.isEmpty else { throw state.failures.removeFirst() }
            state.accepted.append(message)
        }
    }
}

/// The mails of a test's app: a mail server in memory, settings, and a clock that the test moves.
package struct MailFixture: Sendable {
    /// The mail server.
    package let sender = MemoryMailSender()
    /// The settings.
    package var settings: MailSettings
    /// The pages to which links can lead.
    package var redirects = RedirectTargets(["https://app.example.org"])
    /// The texts.
    package let templates: MailTemplates
    /// The time.
    package let clock = MovedClock()

    package init() throws {
        guard let from = Mailbox("Example <app@example.org>") else { throw DeliveryFailure(.refused, "no mailbox") }
        settings = MailSettings(from: from)
        templates = try MailTemplates(appName: "Example")
    }

    /// What the app does with mails.
    package func policy(verifying: Bool) -> MailPolicy {
        MailPolicy(
            allowance: MailAllowance(settings.limits),
            redirects: redirects,
            verifiesAddresses: verifying
        )
    }

    /// The queue of an app.
    package func queue(_ store: any ObjectStore, of app: AppID) -> MailQueue {
        MailQueue(
            app: app,
            store: store,
            settings: settings,
            composer: MailComposer(
                settings: settings,
                templates: templates,
                links: LinkAddress(app: app, base: "https://api.example.com")
            ),
            sender: sender,
            clock: { [clock] in clock.now }
        )
    }

    /// The tokens in the accepted mails, in order.
    package var tokens: [String] {
        sender.accepted.compactMap { message in
            message.text.split(separator: "/links/").last.map { String($0.prefix(40)) }
        }
    }
}

/// A clock that shows the real time until a test moves it.
package final class MovedClock: Sendable {
    private let ahead = Mutex<Int64>(0)

    package init() {}

    /// The time.
    package var now: Timestamp { Timestamp.now().adding(milliseconds: ahead.withLock { $0 }) }

    /// Moves the clock on.
    package func move(seconds: Int) {
        ahead.withLock { $0 += Int64(seconds) * 1000 }
    }
}
