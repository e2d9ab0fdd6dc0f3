package import Domain
internal import Testing

/// The contract of every ``ObjectStore`` about its ``ObjectStore/changes``.
package enum ChangesContract {
    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("each change is published once, in order, with its states, before the write returns") { store in
            let (a, b) = try await objects("a", "b", in: store)
            let log = ChangeLog(of: store, [ChangeFilter(task, states: [.before, .after])])
            try await store.write { writer in
                try writer.insert(a, into: task)
                try writer.insert(b, into: task)
                try writer.update(a.numbered(2), in: task)
                try writer.update(a.numbered(3), in: task)
            }
            #expect(
                log.lines == [
                    "created a after 1", "created b after 1", "updated a before 1 after 2",
                    "updated a before 2 after 3",
                ]
            )
            _ = try await store.write { try $0.delete(a.id, in: task) }
            #expect(log.lines.dropFirst(4) == ["deleted a before 3"])
        },
        ContractRule("the state before an update is the one that the writer read, if it gives it") { store in
            let (a, _) = try await objects("a", "b", in: store)
            try await store.write { try $0.insert(a, into: task) }
            let log = ChangeLog(of: store, [ChangeFilter(task, states: .before)])
            try await store.write { writer in
                let before = try #require(try writer.object(a.id, in: task))
                try writer.update(a.numbered(2), in: task, from: before)
            }
            #expect(log.lines == ["updated a before 1"])
        },
        ContractRule("a delete of many publishes each object once, in the order in which they were named") { store in
            let (a, b) = try await objects("a", "b", in: store)
            let stranger = try #require(ObjectID("stranger"))
            try await store.write { writer in
                for object in [a, b.numbered(2)] { try writer.insert(object, into: task) }
            }
            let log = ChangeLog(of: store, [ChangeFilter(task, states: .before)])
            try await store.write { _ = try $0.delete([b.id, stranger, a.id, b.id], in: task) }
            #expect(log.lines == ["deleted b before 2", "deleted a before 1"])
        },
        ContractRule("what changes nothing is not published") { store in
            let (a, _) = try await objects("a", "b", in: store)
            let log = ChangeLog(of: store)
            try await store.write { writer in
                try writer.update(a, in: task)
                _ = try writer.delete(a.id, in: task)
                _ = try writer.row(a.id, in: task)
            }
            #expect(log.lines == [])
        },
        ContractRule("a subscriber gets the classes, kinds and states that it asked for, and nothing else") { store in
            let (a, _) = try await objects("a", "b", in: store)
            let other = try ClassName("Other")
            try await store.write { try $0.save(ClassSchema(name: other)) }
            let logs = [
                ChangeLog(of: store, [ChangeFilter(other)]),
                ChangeLog(of: store, [ChangeFilter(task, [.created], states: .after)]),
                ChangeLog(of: store, [ChangeFilter(task, [.deleted], states: .after)]),
                ChangeLog(of: store, [ChangeFilter(other, [.created]), ChangeFilter(task, [.updated])]),
            ]
            try await store.write { writer in
                try writer.insert(a, into: task)
                try writer.update(a.numbered(2), in: task)
                _ = try writer.delete(a.id, in: task)
                try writer.insert(a, into: other)
            }
            #expect(
                logs.map(\.lines) == [
                    ["created a"], ["created a after 1"], ["deleted a"], ["updated a", "created a"],
                ]
            )
        },
        ContractRule("nothing of a body that throws is published") { store in
            let (a, b) = try await objects("a", "b", in: store)
            let log = ChangeLog(of: store)
            await #expect(throws: Broken.self) {
                try await store.write { writer in
                    try writer.insert(a, into: task)
                    throw Broken()
                }
            }
            #expect(log.lines == [])
            try await store.write { try $0.insert(b, into: task) }
            #expect(log.lines == ["created b"])
        },
        ContractRule("nothing of an attempt that is undone is published, also of one inside another") { store in
            let (a, b) = try await objects("a", "b", in: store)
            let log = ChangeLog(of: store)
            try await store.write { writer in
                try writer.insert(a, into: task)
                try? writer.attempt {
                    try writer.update(a.numbered(2), in: task)
                    try writer.attempt { try writer.insert(b, into: task) }
                    throw Broken()
                }
                try writer.attempt {
                    try writer.update(a.numbered(3), in: task)
                    try? writer.attempt {
                        _ = try writer.delete(a.id, in: task)
                        throw Broken()
                    }
                }
            }
            #expect(log.lines == ["created a", "updated a"])
        },
        ContractRule("changes of writers at the same time come in the order of their commits, each once") { store in
            let (a, _) = try await objects("a", "b", in: store)
            try await store.write { try $0.insert(a, into: task) }
            let log = ChangeLog(of: store, [ChangeFilter(task, states: [.before, .after])])
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let line = try await store.write { writer in
                            let before = try #require(try writer.object(a.id, in: task))
                            let n = before.fields["n"]?.integerValue ?? 0
                            try writer.update(before.numbered(n + 1), in: task)
                            return "updated a before \(n) after \(n + 1)"
                        }
                        #expect(log.lines.contains(line), "writer \(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(log.lines == (1...100).map { "updated a before \($0) after \($0 + 1)" })
        },
        ContractRule("a body knows whether its transaction ended sessions or users, or changed roles") { store in
            let (object, _) = try await objects("a", "b", in: store)
            for name in [ClassName.session, .user, .role] {
                let seen = try await store.write { writer in
                    let before = writer.concernsCallers
                    try writer.insert(object, into: name)
                    let created = writer.concernsCallers
                    _ = try writer.delete([object.id], in: name)
                    return [before, created, writer.concernsCallers]
                }
                #expect(seen == [false, name == .role, true], "\(name)")
            }
            #expect(try await store.read { $0.concernsCallers } == false)
        },
        ContractRule("a change names the caller that its body named, and the next body begins without one") { store in
            let (a, b) = try await objects("a", "b", in: store)
            let master = Caller(app: try #require(AppID("app")), isMaster: true)
            let log = ChangeLog(of: store)
            try await store.write { writer in
                try writer.insert(a, into: task)
                writer.caller = master
                try writer.insert(b, into: task)
            }
            try await store.write { try $0.update(a, in: task) }
            #expect(log.lines == ["created a", "created b by master", "updated a"])
        },
        ContractRule("a subscriber that arrives during a transaction gets missed for it, and then the next changes") {
            store in
            let (a, b) = try await objects("a", "b", in: store)
            let log = try await store.write { writer in
                try writer.insert(a, into: task)
                return ChangeLog(of: store)
            }
            #expect(log.lines == ["missed"])
            try await store.write { try $0.insert(b, into: task) }
            #expect(log.lines == ["missed", "created b"])
        },
        ContractRule("when a write returns, a buffered subscriber has its changes or knows that it missed them") {
            store in
            let (a, b) = try await objects("a", "b", in: store)
            let large = store.changes.buffer([ChangeFilter(task)], count: 10, size: 1000)
            let small = store.changes.buffer([ChangeFilter(task)], count: 1, size: 1000)
            try await store.write { writer in
                try writer.insert(a, into: task)
                try writer.insert(b, into: task)
            }
            var reader = large.makeAsyncIterator()
            guard case .changes(let changes) = await reader.next(isolation: nil) else {
                Issue.record("The changes are missing.")
                return
            }
            #expect(changes.map(ChangeLog.line) == ["created a", "created b"])
            reader = small.makeAsyncIterator()
            guard case .missed = await reader.next(isolation: nil) else {
                Issue.record("Nothing says that changes were dropped.")
                return
            }
        },
        ContractRule("a subscriber misses a transaction whose states have no room, if it uses them") { store in
            let (a, b) = try await objects("a", "b", in: store)
            try await store.write { writer in
                for object in [a, b] { try writer.insert(object, into: task) }
            }
            let log = ChangeLog(of: store, [ChangeFilter(task, states: [.before, .after])])
            let other = ChangeLog(of: store, [ChangeFilter(task)])
            // Each state has seven bytes.
            store.changes.limitStates(to: 20)
            try await store.write { writer in
                for object in [a, b] { try writer.update(object.numbered(2), in: task) }
            }
            #expect(log.lines == ["missed"])
            store.changes.limitStates(to: 10)
            _ = try await store.write { try $0.delete([a.id, b.id], in: task) }
            #expect(log.lines == ["missed", "missed"])
            #expect(other.lines.count == 4)
            try await store.write { try $0.insert(a, into: task) }
            #expect(log.lines.last == "created a after 1")
        },
        ContractRule("a filter that is added to a buffer begins with the next transaction, and causes no missed") {
            store in
            let (a, b) = try await objects("a", "b", in: store)
            // Another subscriber lets the running transaction record the class, but without its states.
            let log = ChangeLog(of: store, [ChangeFilter(task)])
            let (changes, filter) = try await store.write { writer in
                try writer.insert(a, into: task)
                let changes = store.changes.buffer(count: 10, size: 1000) { $0 }
                return (changes, changes.subscription.add(ChangeFilter(task, states: [.before, .after])))
            }
            try await store.write { try $0.update(a.numbered(2), in: task) }
            changes.subscription.remove(filter)
            try await store.write { try $0.insert(b, into: task) }
            #expect(log.lines.count == 3)
            var reader = changes.makeAsyncIterator()
            guard case .changes(let buffered) = await reader.next(isolation: nil) else {
                Issue.record("The changes are missing.")
                return
            }
            #expect(buffered.map(ChangeLog.line) == ["updated a before 1 after 2"])
            store.changes.publishMissed()
            guard case .missed = await reader.next(isolation: nil) else {
                Issue.record("Nothing says that changes were lost.")
                return
            }
        },
        ContractRule("the wait for the writes that run ends when their changes are published") { store in
            let (a, _) = try await objects("a", "b", in: store)
            let log = ChangeLog(of: store, [ChangeFilter(task)])
            let wait = try await store.write { writer in
                try writer.insert(a, into: task)
                return Task {
                    await store.awaitRunningWrites()
                    return log.lines
                }
            }
            #expect(await wait.value == ["created a"])
        },
        ContractRule("a cancelled subscription receives nothing more") { store in
            let (a, b) = try await objects("a", "b", in: store)
            let (left, stayed) = (ChangeLog(of: store), ChangeLog(of: store))
            try await store.write { try $0.insert(a, into: task) }
            left.cancel()
            try await store.write { try $0.insert(b, into: task) }
            #expect(left.lines == ["created a"])
            #expect(stayed.lines == ["created a", "created b"])
        },
    ]

    /// Two objects that are not stored, of a class that exists.
    private static func objects(
        _ first: String,
        _ second: String,
        in store: any ObjectStore
    ) async throws -> (StoredObject, StoredObject) {
        try await store.write { try $0.save(ClassSchema(name: task)) }
        func object(_ id: String) throws -> StoredObject {
            let now = Timestamp(milliseconds: 0)
            return StoredObject(id: try #require(ObjectID(id)), createdAt: now, updatedAt: now, fields: [:]).numbered(1)
        }
        return (try object(first), try object(second))
    }

    private static let task: ClassName = {
        do {
            return try ClassName("Task")
        } catch {
            preconditionFailure("Task is a class name")
        }
    }()
}

extension StoredObject {
    /// The object with a number in its field `n`.
    fileprivate func numbered(_ number: Int64) -> StoredObject {
        var object = self
        object.fields["n"] = .integer(number)
        return object
    }
}
