internal import Domain
internal import Testing

extension ObjectStoreContract {
    /// Relations, and deletes of many objects, which relations forget.
    static let relationRules: [ContractRule<any ObjectStore>] = [
        ContractRule("a relation tells which of many objects it holds") { store in
            let (owner, member, other) = (try object([:]), try object([:]), try object([:]))
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["likes": FieldDefinition(.relation(task))]))
                for object in [owner, member, other] { try writer.insert(object, into: task) }
                try writer.relate(Pointer(task, owner.id), "likes", to: [member.id])
            }
            for (key, members, expected) in [
                ("likes", [member.id], true), ("likes", [other.id, member.id], true), ("likes", [other.id], false),
                ("likes", [], false), ("hates", [member.id], false),
            ] {
                let found = try await store.read { try $0.isRelated(Pointer(task, owner.id), key, to: members[...]) }
                #expect(found == expected)
            }
            let unknown = Pointer(try ClassName("Unknown"), owner.id)
            #expect(try await store.read { try $0.isRelated(unknown, "likes", to: [member.id]) } == false)
        },
        ContractRule("relations hold each member once, and forget what is deleted") { store in
            let (owner, first, second) = (try object([:]), try object([:]), try object([:]))
            let pointer = Pointer(task, owner.id)
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["likes": FieldDefinition(.relation(task))]))
                for object in [owner, first, second] { try writer.insert(object, into: task) }
                try writer.relate(pointer, "likes", to: [first.id, second.id])
                try writer.relate(pointer, "likes", to: [first.id])
                try writer.relate(pointer, "other", to: [first.id])
            }
            func members() async throws -> [ObjectID] {
                let isMember = Condition.member(of: pointer, key: "likes")
                return try await store.find(ObjectQuery(task, where: isMember, page: try Page())).map(\.id)
            }
            #expect(try await members() == [first.id, second.id])
            try await store.write { try $0.unrelate(pointer, "likes", from: [first.id]) }
            #expect(try await members() == [second.id])
            try await store.write { _ = try $0.delete(second.id, in: task) }
            #expect(try await store.count(.relates(key: "likes", to: [second.id]), in: task) == 0)
            try await store.write { try $0.relate(pointer, "likes", to: [first.id]) }
            try await store.write { try $0.unrelate(pointer, "likes", from: nil) }
            #expect(try await members() == [])
        },
        ContractRule("the memberships of a relation come in order, page by page, without those of others") { store in
            let objects = try (0..<4).map { _ in try object([:]) }
            let ids = objects.map(\.id).sorted()
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["likes": FieldDefinition(.relation(task))]))
                for object in objects { try writer.insert(object, into: task) }
                try writer.relate(Pointer(task, ids[1]), "likes", to: [ids[3], ids[0], ids[1]])
                try writer.relate(Pointer(task, ids[0]), "likes", to: [ids[2]])
                try writer.relate(Pointer(task, ids[2]), "hates", to: [ids[0]])
            }
            var pages: [[Membership]] = []
            repeat {
                let last = pages.last?.last
                pages.append(try await store.read { try $0.memberships("likes", of: task, after: last, limit: 2) })
            } while pages.last?.isEmpty == false
            let expected = [(0, 2), (1, 0), (1, 1), (1, 3)].map { Membership(owner: ids[$0], member: ids[$1]) }
            #expect(pages == [Array(expected[..<2]), Array(expected[2...]), []])
            let unknown = try ClassName("Unknown")
            #expect(try await store.read { try $0.memberships("likes", of: unknown, after: nil, limit: 2) } == [])
        },
        ContractRule("a delete of many removes those that are there, each once, and their relations") { store in
            let (owner, kept) = (try object([:]), try object([:]))
            let gone = try (0..<1500).map { _ in try object([:]) }
            let stranger = ids.next()
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["likes": FieldDefinition(.relation(task))]))
                for object in [owner, kept] + gone { try writer.insert(object, into: task) }
                try writer.relate(Pointer(task, owner.id), "likes", to: [kept.id] + gone.map(\.id))
                try writer.relate(Pointer(task, gone[0].id), "likes", to: [owner.id])
            }
            let named = [stranger] + gone.map(\.id) + [gone[7].id]
            let found = try await store.write { try $0.delete(named, in: task) }
            #expect(found == Set(gone.map(\.id)))
            #expect(try await store.find(ObjectQuery(task, page: .all)).map(\.id) == [owner.id, kept.id])
            try await store.write { writer in
                for object in gone { try writer.insert(object, into: task) }
            }
            for (isRelated, owner, members) in [
                (true, owner, [kept.id]), (false, owner, gone.map(\.id)), (false, gone[0], [owner.id]),
            ] {
                let answer = try await store.read {
                    try $0.isRelated(Pointer(task, owner.id), "likes", to: members[...])
                }
                #expect(answer == isRelated)
            }
            #expect(try await store.write { try $0.delete([], in: task) } == [])
            #expect(try await store.write { try $0.delete(named, in: ClassName("Unknown")) } == [])
        },
    ]
}
