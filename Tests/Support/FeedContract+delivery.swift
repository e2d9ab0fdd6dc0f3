internal import Domain
internal import Testing

/// How statuses come into inboxes, and how they leave them.
extension FeedContract {
    static let delivery: [ContractRule<any ObjectStore>] = [
        ContractRule("a status for many is delivered in steps, to each once, with the rights of its author") { store in
            let app = try await PeopleApp(store)
            let (ann, followers) = try await app.authorWithFollowers(450)
            let status = try await app.publish("hello", as: ann)
            #expect(try await app.count(of: .inboxItem) == 201)
            #expect(try await app.queue.waiting() == 1)
            // The author logs out everywhere in the meantime.
            try await store.write { writer in
                let ids = try writer.rows(ObjectQuery(.session, page: .all)).map(\.id)
                _ = try writer.delete(ids, in: .session)
            }
            try await app.drain()
            #expect(try await app.queue.waiting() == 0)
            let items = try await app.rows(of: .inboxItem).compactMap { $0.fields["delivery"]?.stringValue }
            #expect(Set(items) == Set(([ann.id] + followers).map { "\(status)/\($0)" }))
            #expect(items.count == 451)
        },
        ContractRule("deliveries take turns, so that a large one does not delay the others") { store in
            let app = try await PeopleApp(store)
            let (ann, _) = try await app.authorWithFollowers(1000)
            let first = try await app.publish("large", as: ann)
            app.clock.move(seconds: 1)
            let second = try await app.publish("later", as: ann)
            app.clock.move(seconds: 1)
            for _ in 0..<2 {
                #expect(try await app.queue.step() == .done)
                app.clock.move(seconds: 1)
            }
            let items = try await app.rows(of: .inboxItem).compactMap { $0.fields["delivery"]?.stringValue }
            #expect(items.filter { $0.hasPrefix("\(first)/") }.count == 401)
            #expect(items.filter { $0.hasPrefix("\(second)/") }.count == 401)
        },
        ContractRule("a user whom several objects name gets the status once, and those who do not exist none") {
            store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let group = try ClassName("Member")
            let missing = Pointer(.user, ObjectIDGenerator().next()).json
            for member in [bob.pointer, bob.pointer, missing] {
                let text = String(decoding: member.encoded(), as: UTF8.self)
                try await app.create(#"{"who":\#(text)}"#, in: group, as: ann)
            }
            try await app.create(#"{"other":1}"#, in: group, as: ann)
            let body: [String: JSONValue] = ["query": .object(["className": "Member", "keys": "who"])]
            _ = try await app.feeds.publish(body, as: ann)
            #expect(try await app.counts(as: bob).total == 1)
            #expect(try await app.count(of: .inbox) == 2)
        },
        ContractRule("a delivery whose query cannot run is given up, and others go on") { store in
            let app = try await PeopleApp(store)
            let (ann, _) = try await app.authorWithFollowers(201)
            try await app.publish("hello", as: ann)
            try await store.write { writer in
                guard let row = try writer.find(ObjectQuery(.peopleJob)).first else { return }
                var broken = row
                broken.fields["delivery"] = .object([:])
                try writer.update(broken, in: .peopleJob)
            }
            var outcomes: [PeopleOutcome] = []
            while try await app.queue.waiting() > 0 {
                if let outcome = try await app.queue.step() { outcomes.append(outcome) }
                app.clock.move(seconds: 60)
            }
            #expect(outcomes == [.failed, .failed, .failed, .failed, .givenUp])
        },
    ]

    static let deletions: [ContractRule<any ObjectStore>] = [
        ContractRule("a deleted status leaves every inbox, and only its author deletes it") { store in
            let app = try await PeopleApp(store)
            let (ann, _) = try await app.authorWithFollowers(450)
            let bob = try await app.user("bob")
            try await app.follow(ann, by: bob)
            let status = try await app.publish("hello", as: ann)
            let other = try await app.publish("other", as: ann)
            try await app.drain()
            await expectFailure(.forbidden) { try await app.delete(status, in: .status, as: bob) }
            try await app.delete(status, in: .status, as: ann)
            #expect(try await app.inbox(as: bob) == ["2 other"])
            try await app.drain()
            #expect(try await app.count(of: .inboxItem) == 452)
            try await app.delete(other, in: .status, as: app.master)
            try await app.drain()
            #expect(try await app.count(of: .inboxItem) == 0)
        },
        ContractRule("a status that is deleted during its delivery reaches no further inbox") { store in
            let app = try await PeopleApp(store)
            let (ann, _) = try await app.authorWithFollowers(450)
            let status = try await app.publish("hello", as: ann)
            try await app.delete(status, in: .status, as: ann)
            try await app.drain()
            #expect(try await app.count(of: .inboxItem) == 0)
            #expect(try await app.queue.waiting() == 0)
        },
        ContractRule("an owner removes a status from the own inbox, and its number is not used again") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.follow(ann, by: bob)
            for number in 1...2 { try await app.publish("\(number)", as: ann) }
            for _ in 0..<2 { try await app.feeds.remove(2, owner: nil, type: nil, as: bob) }
            #expect(try await app.inbox(as: bob) == ["1 1"])
            #expect(try await app.inbox(as: ann) == ["2 2", "1 1"])
            try await app.publish("3", as: ann)
            #expect(try await app.inbox(as: bob) == ["3 3", "1 1"])
        },
        ContractRule("a status cannot be changed by a client") { store in
            let app = try await PeopleApp(store)
            let ann = try await app.user("ann")
            let status = try await app.publish("hello", as: ann)
            let change = try ObjectChange(app.json(#"{"message":"other"}"#), allowsPaths: true)
            let update = ObjectCommand(.status, .update(status, change, where: nil, returnsObject: false))
            await expectFailure(.forbidden) { try await app.objects.perform(update, as: ann) }
            _ = try await app.objects.perform(update, as: app.master)
        },
        ContractRule("a deleted user leaves no status and no inbox") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.follow(ann, by: bob)
            for number in 1...12 { try await app.publish("\(number)", as: ann) }
            try await app.publish("of bob", as: bob, to: ann)
            try await app.delete(ann.id, in: .user, as: ann)
            try await app.drain()
            #expect(try await app.rows(of: .status).map(\.fields["message"]) == ["of bob"])
            #expect(try await app.count(of: .inboxItem) == 0)
            #expect(try await app.rows(of: .inbox).map(\.fields["box"]) == [.string("\(bob.id)/default")])
        },
    ]
}
