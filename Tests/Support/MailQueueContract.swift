package import Domain
internal import Testing

/// The contract of the mail queue on every ``ObjectStore``: a change and its mail are stored together, each mail is sent,
/// and its link works once.
package enum MailQueueContract {
    package static let rules: [ContractRule<any ObjectStore>] = causes + delivery + links

    private static let causes: [ContractRule<any ObjectStore>] = [
        ContractRule("a new address queues one mail, and a refused sign-up none") { store in
            let app = try MailApp(store)
            let user = try await app.signUp("ann", "ann@example.org")
            await expectFailure(.emailTaken) { try await app.signUp("bob", "ann@example.org") }
            #expect(try await app.queued() == ["verify ann@example.org"])
            try await app.change(user, #"{"city":"Lyon"}"#)
            #expect(try await app.queued().count == 1)
            try await app.change(user, #"{"email":"new@example.org"}"#)
            #expect(try await app.queued() == ["verify new@example.org"])
        },
        ContractRule("an allowance that is used up refuses the change, and a refused change uses up none") { store in
            var fixture = try MailFixture()
            fixture.settings.limits.perApp = 2
            let app = try MailApp(store, fixture)
            let user = try await app.signUp("ann", "ann@example.org")
            await expectFailure(.usernameTaken) { try await app.signUp("ann", "other@example.org") }
            _ = try await app.signUp("bob", "bob@example.org")
            await expectFailure(.tooManyMails) { try await app.signUp("eve", "eve@example.org") }
            await expectFailure(.tooManyMails) { try await app.change(user, #"{"email":"new@example.org"}"#) }
            #expect(try await app.queued().count == 2)
            #expect(try await app.field("email", of: user) == "ann@example.org")
        },
        ContractRule("a request queues a mail for a known address only") { store in
            let app = try MailApp(store, verifying: false)
            _ = try await app.signUp("ann", "ann@example.org")
            #expect(try await app.queued() == [])
            try await app.service.send(.reset, ["email": "ann@example.org"], as: app.guest)
            await expectFailure(.emailNotFound) {
                try await app.service.send(.reset, ["email": "bob@example.org"], as: app.guest)
            }
            #expect(try await app.queued() == ["reset ann@example.org"])
        },
        ContractRule("an unknown address takes the same steps if it is hidden, and no mail is sent") { store in
            let app = try MailApp(store, verifying: false, AccountSettings(hidesUnknownUsers: true))
            try await app.service.send(.reset, ["email": "bob@example.org"], as: app.guest)
            #expect(try await app.queued() == ["reset bob@example.org"])
            #expect(try await app.queue.step() == nil)
            #expect(try await app.queued() == [])
            #expect(app.fixture.sender.accepted.isEmpty)
        },
        ContractRule("a deleted user and a change of the password leave no mail and no link") { store in
            let app = try MailApp(store)
            let (ann, bob) = (
                try await app.signUp("ann", "ann@example.org"), try await app.signUp("bob", "bob@example.org")
            )
            _ = try await app.queue.step()
            try await app.change(ann, #"{"password":"another"}"#)
            _ = try await app.objects.perform(ObjectCommand(.user, .delete([bob], where: nil)), as: app.master)
            #expect(try await app.queued() == [])
            #expect(try await store.read { try $0.count(.always, in: .mailLink) } == 0)
        },
    ]

    private static let delivery: [ContractRule<any ObjectStore>] = [
        ContractRule("a sent mail leaves the queue, and what is stored contains no token") { store in
            let app = try MailApp(store)
            _ = try await app.signUp("ann", "ann@example.org")
            #expect(try await app.queue.step() == .sent)
            #expect(try await app.queue.step() == nil)
            #expect(try await app.queued() == [])
            let token = try #require(app.fixture.tokens.first)
            for name in [ClassName.mail, .mailLink] {
                let rows = try await store.read { try $0.find(ObjectQuery(name, page: .all)) }
                #expect(!"\(rows)".contains(token))
            }
        },
        ContractRule("a failed mail is due again after a growing pause, and then a dead letter") { store in
            let app = try MailApp(store)
            _ = try await app.signUp("ann", "ann@example.org")
            app.fixture.sender.fail(Array(repeating: DeliveryFailure(.deferred, "Later."), count: 1000))
            #expect(try await app.queue.step() == .failed)
            #expect(try await app.queue.step() == nil)
            app.fixture.clock.move(seconds: 31)
            #expect(try await app.queue.step() == .failed)
            app.fixture.clock.move(seconds: 31)
            #expect(try await app.queue.step() == nil)
            app.fixture.clock.move(seconds: 30)
            #expect(try await app.queue.step() == .failed)
            // A mail server that is down for a day loses nothing.
            app.fixture.clock.move(seconds: 86_400)
            #expect(try await app.queue.step() == .failed)
            app.fixture.clock.move(seconds: 2 * 86_400)
            #expect(try await app.queue.step() == .dead)
            let dead = try await app.queue.messages(.dead, Page(first: 10), as: app.master)
            #expect(dead.map(\.failure) == ["Later."])
            app.fixture.sender.fail([])
            await expectFailure(.masterKeyRequired) { try await app.queue.retry(nil, as: app.guest) }
        },
        ContractRule("a refused mail is a dead letter at once, which an operator sends again or time removes") {
            store in
            let app = try MailApp(store)
            _ = try await app.signUp("ann", "ann@example.org")
            _ = try await app.signUp("bob", "bob@example.org")
            app.fixture.sender.fail([DeliveryFailure(.refused, "No."), DeliveryFailure(.refused, "No.")])
            #expect(try await app.queue.step() == .dead)
            #expect(try await app.queue.step() == .dead)
            let first = try await app.queue.messages(.dead, Page(first: 1), as: app.master)
            #expect(try await app.queue.retry(first.map(\.id), as: app.master) == 1)
            #expect(try await app.queue.step() == .sent)
            app.fixture.clock.move(seconds: 7200)
            #expect(try await app.queue.retry(nil, as: app.master) == 1)
            #expect(try await app.queue.retry(nil, as: app.master) == 0)
            // The time since the retry, and not since the first attempt.
            app.fixture.clock.move(seconds: 5)
            #expect((5..<7200).contains(try await app.queue.progress().oldestSeconds))
            app.fixture.sender.fail([DeliveryFailure(.refused, "No.")])
            #expect(try await app.queue.step() == .dead)
            app.fixture.clock.move(seconds: 2_592_001)
            try await app.queue.deleteExpired()
            #expect(try await app.queued() == [])
        },
        ContractRule("a mail that is due is sent at once, however many before it are no longer needed") { store in
            let app = try MailApp(store)
            var gone: [ObjectID] = []
            for number in 0..<45 { gone.append(try await app.signUp("u\(number)", "u\(number)@example.org")) }
            _ = try await app.signUp("ann", "ann@example.org")
            let users = gone
            _ = try await store.write { writer in try writer.delete(users, in: .user) }
            #expect(try await app.queue.step() == .sent)
            #expect(try await app.queued() == [])
        },
        ContractRule("all dead letters are sent again once, also those that are dead again in the meantime") { store in
            let app = try MailApp(store)
            _ = try await app.signUp("ann", "ann@example.org")
            app.fixture.sender.fail([DeliveryFailure(.refused, "No.")])
            #expect(try await app.queue.step() == .dead)
            // Seen from here, the mail died after the call had begun.
            app.fixture.clock.move(seconds: -3600)
            #expect(try await app.queue.retry(nil, as: app.master) == 0)
            app.fixture.clock.move(seconds: 3600)
            #expect(try await app.queue.retry(nil, as: app.master) == 1)
        },
        ContractRule("mails of a killed server are sent by the next one, and its late result counts for nothing") {
            store in
            let app = try MailApp(store)
            _ = try await app.signUp("ann", "ann@example.org")
            let now = app.fixture.clock.now
            let leased = try await store.write { writer in
                guard let row = try writer.find(ObjectQuery(.mail)).first, var mail = QueuedMail(row) else {
                    return false
                }
                mail.lease = "killed"
                mail.due = now.adding(seconds: 1200)
                try writer.update(mail.object, in: .mail)
                return true
            }
            #expect(leased)
            #expect(try await app.queue.step() == nil)
            try await app.queue.recover()
            #expect(try await app.queue.step() == .sent)
        },
    ]

    private static let links: [ContractRule<any ObjectStore>] = [
        ContractRule("a link verifies the address once") { store in
            let app = try MailApp(store)
            let user = try await app.signUp("ann", "ann@example.org")
            let token = try await app.nextToken()
            #expect(try await app.service.link(token)?.user == user)
            #expect(try await app.service.reset(token, to: "another", from: "") == nil)
            #expect(try await app.field("emailVerified", of: user) == .bool(false))
            #expect(try await app.service.verify(token)?.to == "ann@example.org")
            #expect(try await app.field("emailVerified", of: user) == .bool(true))
            #expect(try await app.service.verify(token) == nil)
            #expect(try await app.service.link(token) == nil)
        },
        ContractRule("a link resets the password once, and ends sessions and other links") { store in
            let app = try MailApp(store)
            let user = try await app.signUp("ann", "ann@example.org")
            let verifying = try await app.nextToken()
            try await app.service.send(.reset, ["email": "ann@example.org"], as: app.guest)
            let token = try await app.nextToken()
            #expect(try await app.service.verify(token) == nil)
            await expectFailure(.blankPassword) { try await app.service.reset(token, to: "", from: "") }
            #expect(try await app.service.reset(token, to: "another", from: "")?.user == user)
            #expect(try await app.field(PasswordHash.field, of: user) == "plain another")
            #expect(try await store.read { try $0.count(.always, in: .session) } == 0)
            #expect(try await app.service.reset(token, to: "third", from: "") == nil)
            #expect(try await app.service.verify(verifying) == nil)
        },
        ContractRule("a password that is set through a link counts as a log-in of the address") { store in
            var settings = RequestLimits.Settings()
            settings.logIns = 1
            // The limit is refilled with the time.
            let start = ContinuousClock.now
            let limits = RequestLimits(settings, clock: { start })
            let app = try MailApp(store, limits: limits)
            let user = try await app.signUp("ann", "ann@example.org")
            _ = try await app.nextToken()
            try await app.service.send(.reset, ["email": "ann@example.org"], as: app.guest)
            let token = try await app.nextToken()
            try limits.takeLogIn(by: app.guest.at(address: "192.0.2.1"))
            await expectFailure(.overloaded) { try await app.service.reset(token, to: "another", from: "192.0.2.1") }
            #expect(try await app.service.reset(token, to: "another", from: "192.0.2.2")?.user == user)
            #expect(try await app.service.reset(token, to: "third", from: "192.0.2.1") == nil)
        },
        ContractRule("links end with their time, and with the address") { store in
            let app = try MailApp(store)
            let user = try await app.signUp("ann", "ann@example.org")
            let old = try await app.nextToken()
            app.fixture.clock.move(seconds: 604_000)
            #expect(try await app.service.link(old) != nil)
            app.fixture.clock.move(seconds: 1000)
            #expect(try await app.service.link(old) == nil)
            #expect(try await app.service.verify(old) == nil)
            try await app.queue.deleteExpired()
            #expect(try await store.read { try $0.count(.always, in: .mailLink) } == 0)
            try await app.service.send(.verify, ["email": "ann@example.org"], as: app.guest)
            let second = try await app.nextToken()
            try await app.change(user, #"{"email":"new@example.org"}"#)
            #expect(try await app.service.verify(second) == nil)
        },
    ]
}
