package import Logging

/// The workers of one app's mail queue (docs/accounts.md, "Mail").
package typealias MailQueue = DeliveryQueue<MailWork>

/// What the mail queue does with a mail: it makes a new link for each attempt, and hands the message to the mail server.
package struct MailWork: DeliveryWork {
    private let mail: MailSettings
    private let composer: MailComposer
    private let sender: any MailSender
    private let ids: ObjectIDGenerator

    /// - Parameters:
    ///   - settings: The settings of mails.
    ///   - composer: Makes the messages.
    ///   - sender: Sends them.
    ///   - ids: Generates ids of links.
    init(
        settings: MailSettings,
        composer: MailComposer,
        sender: any MailSender,
        ids: ObjectIDGenerator
    ) {
        mail = settings
        self.composer = composer
        self.sender = sender
        self.ids = ids
    }

    package static let words = DeliveryWords(
        one: "mail",
        oneAtStart: "A mail",
        manyAtStart: "Mails",
        command: "lcfile mail retry"
    )

    package var settings: DeliverySettings { mail.delivery }

    package func secretPart(
        of message: QueuedMail,
        in writer: any WriteTransaction,
        at now: Timestamp
    ) throws -> MailToken? {
        try writer.newLink(of: message, at: now, mail, ids: ids)
    }

    package func send(_ message: QueuedMail, _ secret: MailToken, at now: Timestamp) async throws {
        try await sender.send(try composer.message(message, secret, at: now))
    }

    package func expired(at now: Timestamp) -> [(name: ClassName, condition: Condition)] {
        [(.mailLink, .hasExpired(at: now))]
    }
}

extension DeliveryQueue where Work == MailWork {
    /// - Parameters:
    ///   - app: The app, for the log.
    ///   - store: Contains the queue.
    ///   - settings: The settings of mails.
    ///   - composer: Makes the messages.
    ///   - sender: Sends them.
    ///   - ids: Generates ids of rows.
    ///   - clock: Returns the current time.
    ///   - logger: Logs outages of the mail server, and dead letters.
    package convenience init(
        app: AppID,
        store: any ObjectStore,
        settings: MailSettings,
        composer: MailComposer,
        sender: any MailSender,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        logger: Logger? = nil
    ) {
        let work = MailWork(settings: settings, composer: composer, sender: sender, ids: ids)
        self.init(app: app, store: store, work: work, clock: clock, logger: logger)
    }
}
