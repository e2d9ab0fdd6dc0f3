import Domain
import PCREPatterns
import Support
import Testing

/// The size of a reply is that of what it shows, not that of the stored objects.
@Suite struct ReplySizeTests {
    private static let replySize = 6000
    private static let long = String(repeating: "x", count: 2600)

    private func find(
        _ objects: ObjectFixture,
        include: String = "",
        keys: String
    ) async throws -> [[String: JSONValue]] {
        let view = ObjectView(include: include, keys: keys, returnsACL: false)
        let command = ObjectCommand(objects.task, .find(ObjectCommand.Search(page: try Page())), view: view)
        let reply = try await objects.service(replySize: Self.replySize).perform(command, as: objects.client)
        return try #require(reply.listing).objects.map { try $0.members }
    }

    private func text(_ pointer: Pointer) -> String { String(decoding: pointer.json.encoded(), as: UTF8.self) }

    @Test(
        "what keys leave out of an object, and out of its members, does not count",
        arguments: [
            ("", 1), ("s", 2), ("o", 2), ("-n,-o", 2), ("n", 10), ("n,o.n", 10), ("o.n", 10), ("-s,-o.s", 10),
            ("-s,-o", 10), ("list.n", 10), ("none", 10),
        ]
    )
    func keys(keys: String, count: Int) async throws {
        let objects = try ObjectFixture()
        let inner = #"{"n":1,"s":"\#(Self.long)"}"#
        for number in 0..<10 {
            let list = keys.hasPrefix("list") ? #","list":[\#(inner)]"# : ""
            try await objects.create(#"{"n":\#(number),"s":"\#(Self.long)","o":\#(inner)\#(list)}"#)
        }
        let found = try await find(objects, keys: keys)
        #expect(found.count == count)
        #expect(found.allSatisfy { $0["objectId"] != nil })
        let showsNumber = ["", "n", "n,o.n", "-s,-o.s", "-s,-o"].contains(keys)
        #expect(found.allSatisfy { ($0["n"] != nil) == showsNumber })
        if keys.contains("o.n") {
            #expect(found.allSatisfy { $0["o"]?.objectValue.map { Array($0.keys) } == ["n"] })
        }
    }

    @Test(
        "what keys leave out of included objects does not count",
        arguments: [
            ("", 1), ("folder,all", 1), ("folder.name", 10), ("folder,-folder.s", 10), ("-folder.s", 10),
            ("n,folder.name", 10), ("-folder.s,-all", 10),
        ]
    )
    func includes(keys: String, count: Int) async throws {
        let objects = try ObjectFixture()
        for _ in 0..<10 {
            let folder = try await objects.create(#"{"name":"a","s":"\#(Self.long)"}"#, in: objects.folder)
            try await objects.create(#"{"n":1,"folder":\#(text(folder)),"all":[\#(text(folder))]}"#)
        }
        let found = try await find(objects, include: "folder", keys: keys)
        #expect(found.count == 10)
        #expect(found.count { $0["folder"]?.objectValue?["name"] == "a" } == count)
        let elements = try await find(objects, include: "all", keys: keys.replacing("folder", with: "all"))
        let isHidden = keys.hasSuffix("-all")
        #expect(elements.count == 10)
        #expect(
            elements.count { $0["all"]?.arrayValue?.first?.objectValue?["name"] == "a" } == (isHidden ? 0 : count)
        )
    }

    @Test("an include that is not shown takes no space from those that are")
    func hiddenIncludes() async throws {
        let objects = try ObjectFixture()
        for _ in 0..<10 {
            let large = try await objects.create(#"{"s":"\#(Self.long)"}"#, in: objects.folder)
            let small = try await objects.create(#"{"name":"a"}"#, in: objects.folder)
            try await objects.create(#"{"large":\#(text(large)),"small":\#(text(small))}"#)
        }
        let found = try await find(objects, include: "large,small", keys: "small")
        #expect(found.count { $0["small"]?.objectValue?["name"] == "a" } == 10)
    }

    @Test("an object that is larger than a reply leaves space for what it includes, if it is not shown whole")
    func largeObject() async throws {
        let objects = try ObjectFixture()
        let folder = try await objects.create(#"{"name":"a"}"#, in: objects.folder)
        let long = String(repeating: "x", count: Self.replySize)
        let object = try await objects.create(#"{"s":"\#(long)","folder":\#(text(folder))}"#)
        let view = ObjectView(include: "folder", keys: "folder", returnsACL: false)
        let command = ObjectCommand(object.className, .get(object.id), view: view)
        let service = objects.service(replySize: Self.replySize)
        let shown = try await service.perform(command, as: objects.client).members
        #expect(shown["folder"]?.objectValue?["name"] == "a")
    }

    @Test("the replies of batch/save show objects until they have ten times the size of one reply")
    func saves() async throws {
        let objects = try ObjectFixture()
        let items = try (0..<5).map { number in
            try SaveItem(
                className: objects.task,
                id: nil,
                creates: true,
                body: try objects.json(#"{"__internalId":"k\#(number)","s":"\#(Self.long)"}"#),
                where: nil,
                returnsObject: true
            )
        }
        let replies = try await objects.service(replySize: 600).save(items, as: objects.client)
        #expect(replies.all.map { $0.name } == ["k0", "k1", "k2", "k3", "k4"])
        let shown = try replies.all.map { try $0.object.members }
        #expect(shown.map { $0["s"] != nil } == [true, true, true, false, false])
        let names: Set<String> = ["objectId", "createdAt", "updatedAt"]
        #expect(shown.allSatisfy { names.isSubset(of: $0.keys) })
        #expect(replies.size > 3 * Self.long.utf8.count)
        #expect(replies.brief.size == 0)
        for reply in replies.brief.all { #expect(try Set(reply.object.members.keys) == names) }
    }

    /// Makes a user with long fields; gives the body of its log-in.
    private func longUser(_ objects: ObjectFixture) async throws -> String {
        let login = #""authData":{"anonymous":{"id":"1"}}"#
        try await objects.create(#"{\#(login),"s":"\#(Self.long)"}"#, in: .user)
        return login
    }

    @Test("log-ins of batch/save show users until the replies have ten times the size of one reply")
    func savedLogIns() async throws {
        let objects = try ObjectFixture()
        let login = try await longUser(objects)
        let items = try (0..<5).map { number in
            try SaveItem(
                className: .user,
                id: nil,
                creates: true,
                body: try objects.json(#"{"__internalId":"k\#(number)",\#(login)}"#),
                where: nil,
                returnsObject: false
            )
        }
        let replies = try await objects.service(replySize: 600).save(items, as: objects.client)
        let shown = try replies.all.map { try $0.object.members }
        #expect(shown.map { $0["s"] != nil } == [true, true, true, false, false])
        #expect(shown.allSatisfy { $0["objectId"] != nil && $0["sessionToken"] != nil })
    }

    @Test("log-ins of a batch show users until the replies have ten times the size of one reply")
    func batchLogIns() async throws {
        let objects = try ObjectFixture()
        let change = try ObjectChange(try objects.json("{\(try await longUser(objects))}"), allowsPaths: false)
        let command = ObjectCommand(.user, .create(change, returnsObject: false))
        var batch = ObjectBatch()
        let replies = try await objects.service(replySize: 600).perform(
            [ObjectCommand](repeating: command, count: 5).map { .success($0) },
            in: &batch,
            as: objects.client
        )
        let shown = try replies.map { try $0.get().members }
        #expect(shown.map { $0["s"] != nil } == [true, true, true, false, false])
        #expect(shown.allSatisfy { $0["objectId"] != nil && $0["sessionToken"] != nil })
    }

    @Test(
        "a sub-query has all of its objects, however large they are",
        arguments: [
            (#"{"folder":{"$inQuery":{"className":"Folder","where":{}}}}"#, 10),
            (#"{"folder":{"$notInQuery":{"className":"Folder","where":{}}}}"#, 0),
            (#"{"n":{"$select":{"query":{"className":"Folder","where":{}},"key":"n"}}}"#, 10),
            (#"{"n":{"$dontSelect":{"query":{"className":"Folder","where":{}},"key":"n"}}}"#, 0),
        ]
    )
    func subqueries(condition: String, count: Int) async throws {
        let objects = try ObjectFixture(largestReply: Self.replySize)
        for number in 0..<10 {
            let folder = try await objects.create(#"{"n":\#(number),"s":"\#(Self.long)"}"#, in: objects.folder)
            try await objects.create(#"{"n":\#(number),"folder":\#(text(folder))}"#)
        }
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        let search = ObjectCommand.Search(
            where: try parser.parse(try objects.json(condition)),
            page: Page(first: 0),
            counts: true
        )
        let reply = try await objects.service().perform(ObjectCommand(objects.task, .find(search)), as: objects.client)
        #expect(reply.listing?.count == count)
    }
}
