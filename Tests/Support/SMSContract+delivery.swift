internal import Domain
internal import Testing

/// What becomes of an SMS after its transaction, and the captchas before it.
extension SMSContract {
    static let delivery: [ContractRule<any ObjectStore>] = [
        ContractRule("an SMS that failed is sent again with the same code, after a growing pause") { store in
            let app = try SMSApp(store)
            try await app.service.sendCode(app.phone, as: app.guest)
            app.fixture.sender.fail([DeliveryFailure(.deferred, "Later."), DeliveryFailure(.unavailable, "Down.")])
            #expect(try await app.queue.step() == .failed)
            #expect(try await app.queue.step() == nil)
            app.fixture.clock.move(seconds: 61)
            #expect(try await app.queue.step() == .failed)
            app.fixture.clock.move(seconds: 61)
            #expect(try await app.queue.step() == nil)
            app.fixture.clock.move(seconds: 60)
            #expect(try await app.queue.step() == .sent)
            try await app.service.verify(try #require(app.fixture.codes.last), app.phone, as: app.guest)
        },
        ContractRule("an SMS whose code has ended is a dead letter, and an operator sends it with a new code") {
            store in
            let app = try SMSApp(store)
            try await app.service.sendCode(app.phone, as: app.guest)
            app.fixture.sender.fail([DeliveryFailure(.unavailable, "Down.")])
            #expect(try await app.queue.step() == .failed)
            app.fixture.clock.move(seconds: 601)
            #expect(try await app.queue.step() == .dead)
            #expect(app.fixture.sender.accepted.isEmpty)
            let dead = try await app.queue.messages(.dead, Page(first: 10), as: app.master)
            #expect(dead.map(\.failure) == ["The code ended before the SMS was accepted."])
            #expect(try await app.queue.retry(nil, as: app.master) == 1)
            #expect(try await app.queue.step() == .sent)
            try await app.service.verify(try #require(app.fixture.codes.last), app.phone, as: app.guest)
            await expectFailure(.masterKeyRequired) { try await app.queue.retry(nil, as: app.guest) }
        },
        ContractRule("an SMS whose code has ended is a dead letter also after a deletion of expired rows") { store in
            let app = try SMSApp(store)
            try await app.service.sendCode(app.phone, as: app.guest)
            app.fixture.sender.fail([DeliveryFailure(.unavailable, "Down.")])
            #expect(try await app.queue.step() == .failed)
            app.fixture.clock.move(seconds: 3600)
            try await app.queue.deleteExpired()
            #expect(try await app.queue.step() == .dead)
        },
        ContractRule("a refused SMS is a dead letter at once; a code that is used or replaced needs none") { store in
            let app = try SMSApp(store)
            try await app.service.sendCode(app.phone, as: app.guest)
            app.fixture.sender.fail([DeliveryFailure(.refused, "No.")])
            #expect(try await app.queue.step() == .dead)
            try await app.service.sendCode(app.phone, as: app.guest)
            try await app.service.sendCode(app.phone, as: app.guest)
            #expect(try await app.queue.step() == .sent)
            #expect(try await app.queue.step() == nil)
            // The dead letter's code has a successor.
            #expect(try await app.queue.retry(nil, as: app.master) == 1)
            #expect(try await app.queue.step() == nil)
            app.fixture.clock.move(seconds: 2_592_001)
            try await app.queue.deleteExpired()
            #expect(try await store.read { try $0.count(.always, in: .smsCode) } == 0)
        },
        ContractRule("SMS of a killed server are sent by the next one") { store in
            let app = try SMSApp(store)
            try await app.service.sendCode(app.phone, as: app.guest)
            let now = app.fixture.clock.now
            try await store.write { writer in
                guard let row = try writer.find(ObjectQuery(.sms)).first, var message = QueuedSMS(row) else { return }
                message.lease = "killed"
                message.due = now.adding(seconds: 1200)
                try writer.update(message.object, in: .sms)
            }
            #expect(try await app.queue.step() == nil)
            try await app.queue.recover()
            #expect(try await app.queue.step() == .sent)
        },
    ]

    static let captchas: [ContractRule<any ObjectStore>] = [
        ContractRule("a captcha is answered once, and its proof sends one SMS") { store in
            var fixture = try SMSFixture()
            fixture.requiresCaptcha = true
            let app = try SMSApp(store, fixture)
            await expectFailure(.wrongCaptcha) { try await app.service.sendCode(app.phone, as: app.guest) }
            try await app.service.sendCode(app.phone, as: app.master)
            let (token, answer) = try await app.captcha()
            let proof = try await app.captchas.solve(" \(answer.lowercased())", token, as: app.guest)
            await expectFailure(.wrongCaptcha) { try await app.captchas.solve(answer, token, as: app.guest) }
            let body = app.phone.merging(["validate_token": .string(proof)]) { $1 }
            try await app.service.sendCode(body, as: app.guest)
            await expectFailure(.wrongCaptcha) { try await app.service.sendCode(body, as: app.guest) }
        },
        ContractRule("a wrong answer uses a captcha up, and foreign and changed tokens are wrong") { store in
            let app = try SMSApp(store)
            let (token, answer) = try await app.captcha()
            await expectFailure(.wrongCaptcha) { try await app.captchas.solve("WRONG", token, as: app.guest) }
            await expectFailure(.wrongCaptcha) { try await app.captchas.solve(answer, token, as: app.guest) }
            for wrong in ["", "x", "\(token)0", token.replacing("-85-30-4-", with: "-85-30-1-")] {
                await expectFailure(.wrongCaptcha) { try await app.captchas.solve(answer, wrong, as: app.guest) }
                #expect(try await app.captchas.picture(wrong, for: nil) == nil)
            }
            for proof in ["", "x", token] {
                let body = app.phone.merging(["validate_token": .string(proof)]) { $1 }
                await expectFailure(.wrongCaptcha) { try await app.service.sendCode(body, as: app.guest) }
            }
        },
        ContractRule("captchas and proofs end after four minutes, or earlier if the request says so") { store in
            let app = try SMSApp(store)
            for (seconds, life) in [(nil, 240), (10, 10)] as [(Int?, Int)] {
                let (token, answer) = try await app.captcha(seconds: seconds)
                app.fixture.clock.move(seconds: life)
                await expectFailure(.wrongCaptcha) { try await app.captchas.solve(answer, token, as: app.guest) }
                #expect(try await app.captchas.picture(token, for: nil) == nil)
            }
            let (token, answer) = try await app.captcha()
            let proof = try await app.captchas.solve(answer, token, as: app.guest)
            app.fixture.clock.move(seconds: 240)
            let body = app.phone.merging(["validate_token": .string(proof)]) { $1 }
            await expectFailure(.wrongCaptcha) { try await app.service.sendCode(body, as: app.guest) }
            app.fixture.clock.move(seconds: 1)
            try await app.queue.deleteExpired()
            #expect(try await store.read { try $0.count(.always, in: .captcha) } == 0)
        },
    ]
}
