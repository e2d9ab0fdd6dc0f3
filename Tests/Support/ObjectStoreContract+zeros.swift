internal import Domain
internal import PCREPatterns
internal import Testing

/// Strings with U+0000, which many functions of databases end there.
///
/// The API refuses them in values; a store takes them for what they are.
extension ObjectStoreContract {
    static let zeroRules: [ContractRule<any ObjectStore>] = [
        ContractRule("a test with U+0000 finds no string without it") { store in
            try await compare(["", "a", "ab", "b"], on: store)
        },
        ContractRule("a string with U+0000 is another one than its beginning, in every test") { store in
            try await compare(strings, on: store)
        },
        ContractRule("strings with U+0000 have their place in an order") { store in
            try await fill(store, strings.shuffled())
            for path in try paths() {
                for isDescending in [false, true] {
                    let sorted = strings.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    let expected = isDescending ? sorted.reversed() : sorted
                    for skip in 0..<3 {
                        let query = ObjectQuery(
                            task,
                            order: [SortKey(path, descending: isDescending)],
                            page: try Page(limit: 4, skip: skip)
                        )
                        let found = try await store.find(query).map { $0.fields["s"]?.stringValue }
                        #expect(found == Array(expected.dropFirst(skip).prefix(4)), "\(path)")
                    }
                }
            }
        },
        ContractRule("texts with U+0000 come back whole") { store in
            try await fill(store, strings)
            let found = try await store.read { try $0.texts("s", of: ObjectQuery(task, page: .all)).map(\.text) }
            #expect(found == strings)
        },
        ContractRule("a unique field takes strings that differ behind U+0000, each once") { store in
            try await store.write { try $0.save(schema(uniqueText: true)) }
            for text in strings {
                let first = try object(of: text)
                try await store.write { try $0.insert(first, into: task) }
            }
            for text in strings {
                let second = try object(of: text)
                await expectFailure(.duplicateValue) { try await store.write { try $0.insert(second, into: task) } }
            }
            #expect(try await store.count(.always, in: task) == strings.count)
        },
        ContractRule("a field of strings with U+0000 can become unique if they differ") { store in
            try await fill(store, strings)
            try await store.write { try $0.save(schema(uniqueText: true)) }
            let again = try object(of: "a\0b")
            await expectFailure(.duplicateValue) { try await store.write { try $0.insert(again, into: task) } }
            try await store.write { writer in
                try writer.save(schema(uniqueText: false))
                try writer.insert(again, into: task)
            }
            await expectFailure(.duplicateValue) { try await store.write { try $0.save(schema(uniqueText: true)) } }
        },
        ContractRule("a write that throws leaves no trace of its string with U+0000") { store in
            try await fill(store, ["a", "b"])
            let lost = try object(of: "a\0")
            await #expect(throws: Undone.self) {
                try await store.write { writer in
                    try writer.insert(lost, into: task)
                    throw Undone()
                }
            }
            try await store.write { writer in
                do {
                    try writer.attempt {
                        try writer.insert(lost, into: task)
                        throw Undone()
                    }
                } catch is Undone {}
                try writer.insert(lost, into: task)
            }
            let equal = Condition.field(FieldPath(field: "s"), .equals("a"))
            #expect(try await store.count(equal, in: task) == 1)
        },
    ]

    private static let strings = ["a", "a\0c", "", "a\0", "b", "\0", "a\0b", "ab", "a\0\0", "a\u{1}", "\\u0000"]

    /// Where an object has its string: a field with and without an index, inside objects, in an array, in any value.
    private static func paths() throws -> [FieldPath] {
        try ["s", "t", "o.k", "p.k", "x"].map { try FieldPath($0) }
    }

    private static func schema(uniqueText: Bool = false) throws -> ClassSchema {
        let types: [String: FieldType] = [
            "s": .string, "t": .string, "o": .object, "p": .object, "a": .array, "x": .any,
        ]
        return ClassSchema(
            name: task,
            fields: types.mapValues { FieldDefinition($0) },
            indexes: [
                IndexDefinition(fields: [FieldPath(field: "t")], isUnique: uniqueText),
                IndexDefinition(fields: [try FieldPath("p.k")]),
            ]
        )
    }

    private static func object(of text: String) throws -> StoredObject {
        let (value, inner) = (JSONValue.string(text), JSONValue.object(["k": .string(text)]))
        let list = JSONValue.array([.integer(1), value])
        return try object(["s": value, "t": value, "o": inner, "p": inner, "a": list, "x": value])
    }

    private static func fill(_ store: any ObjectStore, _ texts: [String]) async throws {
        let objects = try texts.map { try object(of: $0) }
        try await store.write { writer in
            try writer.save(schema())
            for object in objects { try writer.insert(object, into: task) }
        }
    }

    /// Compares what each test of each string finds with plain comparisons.
    private static func compare(_ texts: [String], on store: any ObjectStore) async throws {
        try await fill(store, texts)
        for path in try paths() + [FieldPath(field: "a")] {
            for (test, holds) in try tests() {
                let expected = texts.filter(holds)
                let found = try await store.find(ObjectQuery(task, where: .field(path, test), page: .all))
                #expect(found.compactMap { $0.fields["s"]?.stringValue } == expected, "\(path) \(test)")
                #expect(try await store.count(.field(path, test), in: task) == expected.count, "\(path) \(test)")
                let others = try await store.count(.not(.field(path, test)), in: task)
                #expect(others == texts.count - expected.count, "\(path) \(test)")
            }
        }
    }

    private static func tests() throws -> [(Condition.Test, (String) -> Bool)] {
        var tests: [(Condition.Test, (String) -> Bool)] = []
        for text in strings {
            let value = JSONValue.string(text)
            tests += [
                (.equals(value), { $0 == text }), (.not(.equals(value)), { $0 != text }),
                (.isIn(ValueSet([value, "b"])), { $0 == text || $0 == "b" }),
                (.isIn(ValueSet([value, .null])), { $0 == text }),
                (.not(.isIn(ValueSet([value, "a"]))), { $0 != text && $0 != "a" }),
                (.containsAll(ValueSet([value])), { $0 == text }),
                (.compares(.less, value), { $0.utf8.lexicographicallyPrecedes(text.utf8) }),
                (.compares(.lessOrEqual, value), { !text.utf8.lexicographicallyPrecedes($0.utf8) }),
                (.compares(.greater, value), { text.utf8.lexicographicallyPrecedes($0.utf8) }),
                (.compares(.greaterOrEqual, value), { !$0.utf8.lexicographicallyPrecedes(text.utf8) }),
            ]
        }
        let patterns: [(String, (String) -> Bool)] = [
            ("^a", { $0.utf8.first == UInt8(ascii: "a") }), (#"^a\x00"#, { $0.utf8.starts(with: "a\0".utf8) }),
            (#"^\Qa\E"#, { $0.utf8.first == UInt8(ascii: "a") }),
            (#"^\Qa"# + "\0", { $0.utf8.starts(with: "a\0".utf8) }),
            ("b$", { $0.utf8.last == UInt8(ascii: "b") }), ("^a$", { $0 == "a" }),
        ]
        for (text, holds) in patterns {
            tests.append((.matches(try Pattern(text, options: "", path: "s", engine: PCREEngine())), holds))
        }
        return tests
    }
}

private struct Undone: Error {}
