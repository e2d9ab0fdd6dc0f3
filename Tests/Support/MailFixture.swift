package import Domain
internal import Synchronization

/// A mail server in memory: it keeps what it accepts, and refuses as it is told.
package final class MemoryMailSender: MailSender {
    private let state = Mutex<(accepted: [MailMessage], failures: [DeliveryFailure])>(([], []))
    private let hook = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// The accepted messages, in order.
    package var accepted: [MailMessage] { state.withLock(\.accepted) }

    /// Makes the next attempts fail.
    package func fail(_ failures: [DeliveryFailure]) {
        state.withLock { $0.failures += failures }
    }

    /// Calls a body when the next messages were accepted.
    package func whenAccepted(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

    package func send(_ message: MailMessage) async throws {
        defer { hook.withLock(\.self)?() }
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

/// A clock that a test moves.
///
/// The real time does not count, because a busy machine can take a minute for a step.
package final class MovedClock: Sendable {
    private let time = Mutex(Timestamp.now())

    package init() {}

    /// The time, a millisecond later each time it is read, so that what is written one after the other has an order.
    package var now: Timestamp {
        time.withLock { time in
            time = time.adding(milliseconds: 1)
            return time
        }
    }

    /// Moves the clock on.
    package func move(seconds: Int) {
        time.withLock { $0 = $0.adding(seconds: seconds) }
    }
}
