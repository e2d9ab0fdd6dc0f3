package import Domain
internal import Testing

/// The contract of codes and of the SMS queue on every ``ObjectStore``: a code and its SMS are stored together, each SMS
/// is sent, and its code works once.
package enum SMSContract {
    package static let rules: [ContractRule<any ObjectStore>] = codes + guesses + users + delivery + captchas

    private static let codes: [ContractRule<any ObjectStore>] = [
        ContractRule("a code works once, in every notation of the number, and nothing stored contains it") { store in
            let app = try SMSApp(store)
            let code = try await app.code {
                try await $0.sendCode(["mobilePhoneNumber": "138 0000-0000"], as: app.guest)
            }
            for name in [ClassName.sms, .smsCode] {
                let rows = try await store.read { try $0.find(ObjectQuery(name, page: .all)) }
                #expect(!"\(rows)".contains(code))
            }
            let body: [String: JSONValue] = ["mobilePhoneNumber": "+86 (0)138 0000 0000"]
            try await app.service.verify(code, body, as: app.guest)
            await expectFailure(.codeMismatch) { try await app.service.verify(code, body, as: app.guest) }
        },
        ContractRule("a code ends with its time, which a request can set") { store in
            let app = try SMSApp(store)
            for (ttl, seconds) in [(nil, 600), (1, 60), (30, 1800)] as [(Int64?, Int)] {
                let code = try await app.code { codes in
                    var body = app.phone
                    body["ttl"] = ttl.map { .integer($0) }
                    try await codes.sendCode(body, as: app.guest)
                }
                app.fixture.clock.move(seconds: seconds)
                await expectFailure(.codeMismatch) { try await app.service.verify(code, app.phone, as: app.guest) }
            }
            for ttl in [JSONValue.integer(0), .integer(31), "x", .bool(true)] {
                await expectFailure(.badRequest) {
                    try await app.service.sendCode(app.phone.merging(["ttl": ttl]) { $1 }, as: app.guest)
                }
            }
        },
        ContractRule("a second request replaces the first code") { store in
            let app = try SMSApp(store)
            let first = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            let second = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            if first != second {
                await expectFailure(.codeMismatch) { try await app.service.verify(first, app.phone, as: app.guest) }
            }
            try await app.service.verify(second, app.phone, as: app.guest)
        },
        ContractRule("a code of one purpose serves no other one") { store in
            let app = try SMSApp(store)
            try await app.signUp("ann", "13800000000")
            let user = try await app.caller("ann")
            for sent in SMSPurpose.allCases {
                for used in SMSPurpose.allCases where used != sent {
                    let code = try await app.sentCode(for: sent, as: user)
                    // The two that usersByMobilePhone takes are tested on their own.
                    await expectFailure(.codeMismatch) { try await app.use(code, for: used, as: user) }
                    try await store.write { try $0.voidEverything() }
                }
            }
        },
        ContractRule("fixed numbers get no SMS, and have their code after a request") { store in
            var fixture = try SMSFixture()
            fixture.fixed = try #require(FixedNumbers("+8613800000000=000123", country: "86"))
            fixture.canSend = false
            let app = try SMSApp(store, fixture)
            await expectFailure(.codeMismatch) { try await app.service.verify("000123", app.phone, as: app.guest) }
            try await app.service.sendCode(app.phone, as: app.guest)
            #expect(try await app.queue.step() == nil)
            try await app.service.verify("000123", app.phone, as: app.guest)
            await expectFailure(.codeMismatch) { try await app.service.verify("000123", app.phone, as: app.guest) }
            let other: [String: JSONValue] = ["mobilePhoneNumber": "+12025550100"]
            await expectFailure(.notAvailable) { try await app.service.sendCode(other, as: app.guest) }
        },
        ContractRule("templates are those of the operator, and their variables come from the request") { store in
            let fixture = try SMSFixture([
                "Order.txt": "Order {{{order_id}}} is sent.\n", "In.txt": "{{code}} for {{who}}",
            ])
            let app = try SMSApp(store, fixture)
            let order: [String: JSONValue] = ["template": "Order", "order_id": "762", "sign": "Shop"]
            try await app.service.sendCode(app.phone.merging(order) { $1 }, as: app.guest)
            #expect(try await app.queue.step() == .sent)
            #expect(app.fixture.sender.accepted.last?.text == "【Shop】Order 762 is sent.")
            #expect(app.fixture.sender.accepted.last?.variables["code"] == nil)
            let code = try await app.code { codes in
                try await codes.sendCode(app.phone.merging(["template": "In", "who": "Ann"]) { $1 }, as: app.guest)
            }
            #expect(app.fixture.sender.accepted.last?.text == "\(code) for Ann")
            for wrong in [["template": "Order"], ["template": "Nothing"]] as [[String: JSONValue]] {
                await expectFailure(.invalidSMSTemplate) {
                    try await app.service.sendCode(app.phone.merging(wrong) { $1 }, as: app.guest)
                }
            }
        },
        ContractRule("a request can name the signature of the server, also one that clients cannot choose") { store in
            var fixture = try SMSFixture()
            fixture.settings.sign = "shop.example"
            let app = try SMSApp(store, fixture)
            let code = try await app.code { codes in
                try await codes.sendCode(app.phone.merging(["sign": "shop.example"]) { $1 }, as: app.guest)
            }
            #expect(app.fixture.sender.accepted.last?.text.hasPrefix("【shop.example】\(code)") == true)
        },
    ]

    private static let guesses: [ContractRule<any ObjectStore>] = [
        ContractRule("the fifth wrong try makes a code void, one after the other and at the same time") { store in
            let app = try SMSApp(store)
            for isParallel in [false, true] {
                let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
                let wrong = app.others(than: code, 5)
                try await app.guess(wrong.prefix(4), parallel: isParallel)
                #expect(try await store.read { try $0.count(.always, in: .smsCode) } == 1)
                try await app.guess(wrong.suffix(1), parallel: isParallel)
                await expectFailure(.codeMismatch) { try await app.service.verify(code, app.phone, as: app.guest) }
            }
        },
        ContractRule("four wrong tries leave the right one") { store in
            let app = try SMSApp(store)
            let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            try await app.guess(app.others(than: code, 4)[...], parallel: false)
            try await app.service.verify(code, app.phone, as: app.guest)
        },
        ContractRule("other strings and other numbers are wrong") { store in
            let app = try SMSApp(store)
            let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            for text in ["", "\(code) ", "0\(code)", String(code.dropLast())] {
                await expectFailure(.codeMismatch) { try await app.service.verify(text, app.phone, as: app.guest) }
            }
            await expectFailure(.codeMismatch) {
                try await app.service.verify(code, ["mobilePhoneNumber": "13800000001"], as: app.guest)
            }
            try await app.service.verify(code, app.phone, as: app.guest)
        },
    ]

    private static let users: [ContractRule<any ObjectStore>] = [
        ContractRule("codes of requestSmsCode and requestLoginSmsCode log in, and sign up without a password") {
            store in
            let app = try SMSApp(store)
            let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            let new = try await app.signUpOrLogIn(code, ["city": "Lyon"])
            #expect(new.created != nil)
            let user = try await app.user("13800000000")
            #expect(user.fields["mobilePhoneVerified"] == .bool(true))
            #expect(user.fields["username"] == "13800000000")
            #expect(user.fields["city"] == "Lyon")
            #expect(user.fields[PasswordHash.field] == nil)
            let second = try await app.code { try await $0.sendCode(for: .logIn, app.phone, as: app.guest) }
            let known = try await app.signUpOrLogIn(second, ["city": "Paris"])
            #expect(known.created == nil)
            #expect(try await app.user("13800000000").fields["city"] == "Lyon")
        },
        ContractRule("a sign-up by code takes a password, and a name that is taken leaves the code valid") { store in
            let app = try SMSApp(store)
            try await app.signUp("ann", "13900000000")
            let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            await expectFailure(.usernameTaken) { try await app.signUpOrLogIn(code, ["username": "ann"]) }
            _ = try await app.signUpOrLogIn(code, ["username": "bob", "password": "p4ss"])
            #expect(try await app.user("bob").fields[PasswordHash.field] == "plain p4ss")
        },
        ContractRule("a sign-up by code counts as one log-in, also with a password") { store in
            var limits = RequestLimits.Settings()
            limits.logIns = 1
            let app = try SMSApp(store, limits: RequestLimits(limits))
            let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            let stranger = Caller(app: app.guest.app, address: "192.0.2.1")
            let body = app.phone.merging(["smsCode": .string(code), "password": "p4ss"]) { $1 }
            _ = try await app.service.signUpOrLogIn(body, as: stranger, preparedBy: app.objects)
            await expectFailure(.overloaded) { try await app.service.verify(code, app.phone, as: stranger) }
        },
        ContractRule("a wrong code signs no one up, and hashes no password") { store in
            let app = try SMSApp(store)
            let code = try await app.code { try await $0.sendCode(app.phone, as: app.guest) }
            let wrong = app.others(than: code, 1)[0]
            await expectFailure(.codeMismatch) { try await app.signUpOrLogIn(wrong, ["password": "p"]) }
            #expect(try await store.read { try $0.count(.always, in: .user) } == 0)
        },
        ContractRule("a code resets the password once, verifies the number, and ends sessions and other codes") {
            store in
            let app = try SMSApp(store)
            try await app.signUp("ann", "13800000000")
            let other = try await app.code { try await $0.sendCode(for: .logIn, app.phone, as: app.guest) }
            let code = try await app.code { try await $0.sendCode(for: .resetPassword, app.phone, as: app.guest) }
            let body = app.phone.merging(["password": "another"]) { $1 }
            await expectFailure(.blankPassword) {
                try await app.service.resetPassword(code, app.phone.merging(["password": ""]) { $1 }, as: app.guest)
            }
            try await app.service.resetPassword(code, body, as: app.guest)
            let user = try await app.user("ann")
            #expect(user.fields[PasswordHash.field] == "plain another")
            #expect(user.fields["mobilePhoneVerified"] == .bool(true))
            #expect(try await store.read { try $0.count(.always, in: .session) } == 0)
            await expectFailure(.codeMismatch) { try await app.service.resetPassword(code, body, as: app.guest) }
            await expectFailure(.codeMismatch) {
                try await app.service.logIn(app.phone.merging(["smsCode": .string(other)]) { $1 }, as: app.guest)
            }
        },
        ContractRule("a change of the number clears the flag and makes codes void, a code sets both") { store in
            let app = try SMSApp(store)
            try await app.signUp("ann", "13800000000")
            let verifying = try await app.code { try await $0.sendCode(for: .verifyPhone, app.phone, as: app.guest) }
            _ = try await app.service.verifyPhone(verifying, app.phone, as: app.guest)
            #expect(try await app.user("ann").fields["mobilePhoneVerified"] == .bool(true))
            let reset = try await app.code { try await $0.sendCode(for: .resetPassword, app.phone, as: app.guest) }
            try await app.change("ann", #"{"mobilePhoneNumber":"13900000000"}"#)
            #expect(try await app.user("ann").fields["mobilePhoneVerified"] == .bool(false))
            await expectFailure(.codeMismatch) {
                try await app.service.resetPassword(reset, app.phone.merging(["password": "p"]) { $1 }, as: app.guest)
            }
            let user = try await app.caller("ann")
            let code = try await app.code { try await $0.sendChangeCode(app.phone, as: user) }
            let body = app.phone.merging(["code": .string(code)]) { $1 }
            await expectFailure(.sessionRequired) { try await app.service.changePhone(body, as: app.guest) }
            _ = try await app.service.changePhone(body, as: user)
            let changed = try await app.user("ann").fields
            #expect(changed["mobilePhoneNumber"] == "13800000000")
            #expect(changed["mobilePhoneVerified"] == .bool(true))
        },
        ContractRule("another notation of the number keeps the flag and the codes, and is sent no code") { store in
            let app = try SMSApp(store, accounts: AccountSettings(verifiesPhone: true))
            try await app.signUp("ann", "13800000000")
            #expect(try await app.queue.step() == .sent)
            let verifying = try #require(app.fixture.codes.last)
            _ = try await app.service.verifyPhone(verifying, app.phone, as: app.guest)
            let reset = try await app.code { try await $0.sendCode(for: .resetPassword, app.phone, as: app.guest) }
            try await app.change("ann", #"{"mobilePhoneNumber":"+8613800000000"}"#)
            let changed = try await app.user("ann").fields
            #expect(changed["mobilePhoneNumber"] == "+8613800000000")
            #expect(changed["mobilePhoneVerified"] == .bool(true))
            #expect(try await app.queue.step() == nil)
            try await app.service.resetPassword(reset, app.phone.merging(["password": "p"]) { $1 }, as: app.guest)
        },
        ContractRule("a code for another number belongs to the user who asked, and not to a taken number") { store in
            let app = try SMSApp(store)
            try await app.signUp("ann", "13900000000")
            try await app.signUp("bob", "13900000001")
            let (ann, bob) = (try await app.caller("ann"), try await app.caller("bob"))
            let code = try await app.code { try await $0.sendChangeCode(app.phone, as: ann) }
            let body = app.phone.merging(["code": .string(code)]) { $1 }
            await expectFailure(.codeMismatch) { try await app.service.changePhone(body, as: bob) }
            _ = try await app.service.changePhone(body, as: ann)
            await expectFailure(.phoneTaken) { try await app.service.sendChangeCode(app.phone, as: bob) }
            await expectFailure(.sessionRequired) { try await app.service.sendChangeCode(app.phone, as: app.guest) }
        },
        ContractRule("a new number is sent a code in the transaction of the sign-up, if a setting says so") { store in
            let app = try SMSApp(store, accounts: AccountSettings(verifiesPhone: true))
            try await app.signUp("ann", "13800000000")
            await expectFailure(.phoneTaken) { try await app.signUp("bob", "+8613800000000") }
            #expect(try await app.queue.step() == .sent)
            #expect(try await app.queue.step() == nil)
            let code = try #require(app.fixture.codes.last)
            _ = try await app.service.verifyPhone(code, app.phone, as: app.guest)
            #expect(try await app.user("ann").fields["mobilePhoneVerified"] == .bool(true))
            try await app.change("ann", #"{"city":"Lyon"}"#)
            #expect(try await app.queue.step() == nil)
            try await app.change("ann", #"{"mobilePhoneNumber":"13900000000"}"#)
            #expect(try await app.queue.step() == .sent)
        },
        ContractRule("unknown numbers are refused, or take the same steps and get no SMS") { store in
            for hides in [false, true] {
                let app = try SMSApp(store, accounts: AccountSettings(hidesUnknownUsers: hides))
                for purpose in [SMSPurpose.verifyPhone, .logIn, .resetPassword] {
                    let send = { try await app.service.sendCode(for: purpose, app.phone, as: app.guest) }
                    if hides { try await send() } else { await expectFailure(.phoneNotFound) { try await send() } }
                }
                #expect(try await store.read { try $0.count(.always, in: .sms) } == (hides ? 3 : 0))
                #expect(try await app.queue.step() == nil)
                #expect(app.fixture.sender.accepted.isEmpty)
            }
        },
        ContractRule("log-in by an unverified number is refused if a setting says so") { store in
            let app = try SMSApp(store, accounts: AccountSettings(requiresVerifiedPhone: true))
            try await app.signUp("ann", "13800000000")
            await expectFailure(.phoneNotVerified) {
                try await app.service.sendCode(for: .logIn, app.phone, as: app.guest)
            }
            let code = try await app.code { try await $0.sendCode(for: .verifyPhone, app.phone, as: app.guest) }
            _ = try await app.service.verifyPhone(code, app.phone, as: app.guest)
            let second = try await app.code { try await $0.sendCode(for: .logIn, app.phone, as: app.guest) }
            _ = try await app.service.logIn(app.phone.merging(["smsCode": .string(second)]) { $1 }, as: app.guest)
        },
        ContractRule("a verified number gets no further SMS, and a deleted user leaves no code") { store in
            let app = try SMSApp(store)
            try await app.signUp("ann", "13800000000")
            let code = try await app.code { try await $0.sendCode(for: .verifyPhone, app.phone, as: app.guest) }
            _ = try await app.service.verifyPhone(code, app.phone, as: app.guest)
            try await app.service.sendCode(for: .verifyPhone, app.phone, as: app.guest)
            #expect(try await app.queue.step() == nil)
            try await app.service.sendCode(for: .logIn, app.phone, as: app.guest)
            let id = try await app.user("ann").id
            _ = try await app.objects.perform(ObjectCommand(.user, .delete([id], where: nil)), as: app.master)
            for name in [ClassName.sms, .smsCode] {
                #expect(try await store.read { try $0.count(.always, in: name) } == 0)
            }
        },
    ]
}

extension WriteTransaction {
    /// Deletes all codes and SMS.
    fileprivate func voidEverything() throws {
        for name in [ClassName.sms, .smsCode] {
            try delete(try rows(ObjectQuery(name, page: .all)).map(\.id), in: name)
        }
    }
}
