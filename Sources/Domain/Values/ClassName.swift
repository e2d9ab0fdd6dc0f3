/// The name of a class: a letter, then letters, digits and `_`; names of built-in classes begin with `_`.
package struct ClassName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as a string; case-sensitive.
    package let description: String

    /// The maximum number of characters.
    package static let maxLength = 128

    /// Checks a name from a client (protocol/data 3.6).
    ///
    /// - Throws: ``ServiceError/Code/invalidClassName``.
    package init(_ text: some StringProtocol) throws {
        try self.init(checking: String(text))
    }

    /// Apart from the generic initializer, which would be slow byte by byte.
    private init(checking text: String) throws {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "_") { rest = rest.dropFirst() }
        guard let first = rest.first, first.isASCIIAlphanumeric,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
            rest.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }),
            text.utf8.count <= ClassName.maxLength
        else {
            throw ServiceError(
                .invalidClassName,
                "Invalid class name '\(text.prefix(64))': it must be a letter and then up to \(ClassName.maxLength - 1) "
                    + "letters, digits or '_'."
            )
        }
        description = text
    }

    private init(known text: String) {
        description = text
    }

    /// The class of file records.
    package static let file = ClassName(known: "_File")
    /// The class of devices.
    package static let installation = ClassName(known: "_Installation")
    /// The class of users.
    package static let user = ClassName(known: "_User")
    /// The class of roles.
    package static let role = ClassName(known: "_Role")
    /// The class of sessions, which only the master key can read.
    package static let session = ClassName(known: "_Session")
    /// The class of users' identities on other platforms; internal.
    package static let identity = ClassName(known: "_Identity")
    /// The class of unfinished uploads, which only the master key can read.
    package static let upload = ClassName(known: "_Upload")
    /// The class of the parts of unfinished uploads.
    package static let uploadPart = ClassName(known: "_UploadPart")
    /// The class with one object that counts the storage that the app's files use.
    package static let usage = ClassName(known: "_Usage")
    /// The deletion queue, which only the master key can read.
    package static let deletion = ClassName(known: "_Deletion")
    /// Deleted files that can be restored; only the master key can read them.
    package static let trash = ClassName(known: "_Trash")
    /// The keys of deleted files, which the mirror does not fetch again; only the master key can read them.
    package static let goneKey = ClassName(known: "_GoneKey")
    /// The censorship queue, which only the master key can read, like the next four.
    package static let censorJob = ClassName(known: "_CensorJob")
    /// The bulk runs of censorship.
    package static let censorRun = ClassName(known: "_CensorRun")
    /// The audit log of censorship.
    package static let censorLog = ClassName(known: "_CensorLog")
    /// The class with one object: the app's settings of censorship.
    package static let censorSettings = ClassName(known: "_CensorSettings")
    /// The images that are blocked wherever they are uploaded again.
    package static let knownImage = ClassName(known: "_KnownImage")
    /// The mail queue, which only the master key can read.
    package static let mail = ClassName(known: "_Mail")
    /// The links in mails; only the master key can read them.
    package static let mailLink = ClassName(known: "_MailLink")
    /// Who follows a user.
    package static let follower = ClassName(known: "_Follower")
    /// Whom a user follows, and a user's friends.
    package static let followee = ClassName(known: "_Followee")
    /// Requests for friendship.
    package static let friendshipRequest = ClassName(known: "_FriendshipRequest")
    /// Whom a user blocks.
    package static let blocklist = ClassName(known: "_Blocklist")
    /// What users publish in feeds.
    package static let status = ClassName(known: "_Status")
    /// The inboxes of users, which only the master key can read as objects, like the next two.
    package static let inbox = ClassName(known: "_Inbox")
    /// The statuses in inboxes.
    package static let inboxItem = ClassName(known: "_InboxItem")
    /// The queue of deliveries of statuses and of other work that takes many steps.
    package static let peopleJob = ClassName(known: "_PeopleJob")
    /// The SMS queue, which only the master key can read.
    package static let sms = ClassName(known: "_Sms")
    /// The codes that were sent by SMS; only the master key can read them.
    package static let smsCode = ClassName(known: "_SmsCode")
    /// The captchas that were answered; only the master key can read them.
    package static let captcha = ClassName(known: "_Captcha")
    /// What is known to be damaged in the app's storage; only the master key can read it.
    package static let damage = ClassName(known: "_Damage")
    /// The sessions of the console, which only the master key can read.
    package static let consoleSession = ClassName(known: "_ConsoleSession")
    /// The changes that were made through the console; only the master key can read them.
    package static let consoleAudit = ClassName(known: "_ConsoleAudit")
    /// The subscriptions of live queries of all servers; only the master key can read them.
    package static let liveQuery = ClassName(known: "_LiveQuery")

    /// Built-in classes that SDKs and apps use like classes of the app (protocol/data 9).
    ///
    /// For some of them lcfile has rules (docs/people.md); it creates the others with their first object.
    private static let ordinary: Set<String> = [
        "_Installation", "_Conversation", "_ConversationMemberInfo", "_SysMessage", "_Notification", "_Status",
        "_Follower", "_Followee", "_FriendshipRequest", "_Blocklist",
    ]

    /// Classes with rules of lcfile, or with its state.
    private static let reserved: Set<ClassName> = [
        .file, .user, .role, .session, .identity, .upload, .uploadPart, .usage, .deletion, .goneKey,
        .censorJob, .censorRun, .censorLog, .censorSettings, .knownImage, .mail, .mailLink,
        .inbox, .inboxItem, .peopleJob, .sms, .smsCode, .captcha, .damage, .trash,
        .consoleSession, .consoleAudit, .liveQuery,
    ]

    /// Whether lcfile has its own rules for the class, or stores its own state there.
    package var isReserved: Bool { ClassName.reserved.contains(self) }

    /// Whether every caller can create the class, within the limits; other built-in classes come from imports of data
    /// that LeanCloud's services left in apps.
    var isCreatableByClients: Bool { !isBuiltIn || ClassName.ordinary.contains(description) }

    /// Whether the class belongs to the protocol and not to the app.
    package var isBuiltIn: Bool {
        description.utf8.first == UInt8(ascii: "_")
    }

    /// Compares the names as strings.
    package static func < (left: ClassName, right: ClassName) -> Bool {
        left.description < right.description
    }
}
