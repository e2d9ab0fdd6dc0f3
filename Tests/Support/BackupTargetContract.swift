package import Domain
internal import FoundationEssentials
internal import Testing

/// The rules of ``BackupTarget``, for each implementation.
///
/// A rule needs a target without objects, or a prefix of a bucket that no other test uses.
package enum BackupTargetContract {
    /// All rules.
    package static let rules: [ContractRule<any BackupTarget>] = contents + names + listings + removals

    private static let contents: [ContractRule<any BackupTarget>] = [
        ContractRule("an object has the bytes that were stored last, from memory or from a file") { target in
            try await Samples.withFolder { folder in
                try target.put("a/b.1", bytes: [1, 2, 3])
                #expect(try target.get("a/b.1", limit: 3) == [1, 2, 3])
                try write(bytes(100_000), to: "\(folder)/in")
                #expect(try target.put("a/b.1", fileAt: "\(folder)/in") == 100_000)
                #expect(try target.get("a/b.1", limit: 100_000) == bytes(100_000))
                try target.put("a/b.1", bytes: [])
                #expect(try target.get("a/b.1", limit: 0) == [])
            }
        },
        ContractRule("an object is read into a new file of mode 0600") { target in
            try await Samples.withFolder { folder in
                // More than one buffer, and no multiple of any.
                let content = bytes(3_000_001)
                try write(content, to: "\(folder)/in")
                try target.put("large", fileAt: "\(folder)/in")
                #expect(try target.get("large", toFileAt: "\(folder)/out") == 3_000_001)
                #expect(try Data(contentsOf: URL(filePath: "\(folder)/out")) == Data(content))
                let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/out")[.posixPermissions]
                #expect(mode as? Int == 0o600)
                expectFailure(nil) { try target.get("large", toFileAt: "\(folder)/out") }
                try target.put("empty", bytes: [])
                #expect(try target.get("empty", toFileAt: "\(folder)/empty") == 0)
                #expect(try Data(contentsOf: URL(filePath: "\(folder)/empty")).isEmpty)
            }
        },
        ContractRule("an object that does not exist is nil, or a failure for a file") { target in
            try await Samples.withFolder { folder in
                try target.put("a/b", bytes: [1])
                for name in ["b", "a", "a/b/c", "a/bc"] {
                    #expect(try target.get(name, limit: 10) == nil)
                    expectFailure(.missing) { try target.get(name, toFileAt: "\(folder)/out-\(name.count)") }
                }
            }
        },
        ContractRule("an object with more bytes than the limit is a failure") { target in
            try target.put("a", bytes: [1, 2, 3])
            expectFailure(.tooLarge) { try target.get("a", limit: 2) }
        },
        ContractRule("a local file that does not exist is a failure, and the object stays") { target in
            try await Samples.withFolder { folder in
                try target.put("a", bytes: [1])
                expectFailure(nil) { try target.put("a", fileAt: "\(folder)/nowhere") }
                #expect(try target.get("a", limit: 1) == [1])
            }
        },
        ContractRule("of several writers of one name one wins, and readers see whole objects") { target in
            let contents = (1...4).map { [UInt8](repeating: UInt8($0), count: 50_000 * $0) }
            try target.put("a/b", bytes: contents[0])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for content in contents {
                    group.addTask {
                        for _ in 0..<5 { try target.put("a/b", bytes: content) }
                    }
                    group.addTask {
                        for _ in 0..<5 {
                            let seen = try #require(try target.get("a/b", limit: 1_000_000))
                            #expect(contents.contains(seen))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try target.list(prefix: "", after: nil, limit: 10).map(\.name) == ["a/b"])
        },
    ]

    private static let names: [ContractRule<any BackupTarget>] = [
        ContractRule("names of 512 bytes and of all allowed characters are stored") { target in
            let folder = String(repeating: "d", count: 200)
            let long = "\(folder)/\(folder)/\(String(repeating: "n", count: 110))"
            let all = "azAZ09._-/.hidden/..a/-/a..b"
            for name in [long, all] {
                try target.put(name, bytes: Array(name.utf8))
                #expect(try target.get(name, limit: 1000) == Array(name.utf8))
            }
        },
        ContractRule("other names are refused, for reading and writing") { target in
            let names = [
                "", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a b", "a+b", "ä", "a\\b", "a\nb", "a%2Fb",
                String(repeating: "a", count: 513),
            ]
            for name in names {
                expectFailure(.refused) { try target.put(name, bytes: [1]) }
                expectFailure(.refused) { try target.get(name, limit: 1) }
                expectFailure(.refused) { try target.remove([name]) }
            }
            let stored = try target.list(prefix: "", after: nil, limit: 10)
            #expect(stored == [])
        },
    ]

    private static let listings: [ContractRule<any BackupTarget>] = [
        ContractRule("a listing has names and sizes in the order of bytes") { target in
            let stored = ["B", "_", "a-/x", "a.b", "a/b.c", "a/b/c", "a0", "a/b-/c", "-"]
            for (index, name) in stored.shuffled().enumerated() {
                try target.put(name, bytes: [UInt8](repeating: 0, count: index))
            }
            let listed = try target.list(prefix: "", after: nil, limit: 1000)
            #expect(listed.map(\.name) == stored.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            #expect(listed.map(\.size).sorted() == stored.indices.map(Int64.init))
            #expect(listed.allSatisfy { $0.modified > 1_500_000_000 })
        },
        ContractRule("pages of every size follow each other without gaps") { target in
            let stored = (0..<40).map { number in
                "x/\(number % 3)/\(number % 7)\(number % 2 == 0 ? "/" : ".")\(number)"
            }
            for name in stored { try target.put(name, bytes: []) }
            try target.put("w", bytes: [])
            try target.put("y/z", bytes: [])
            for limit in [1, 2, 3, 7, 39, 40, 41, 1000] {
                var found: [String] = []
                while true {
                    let page = try target.list(prefix: "x/", after: found.last, limit: limit).map(\.name)
                    found += page
                    if page.count < limit { break }
                }
                #expect(found == stored.sorted(), "limit \(limit)")
            }
        },
        ContractRule("a prefix can end within a name, and a page begin behind a name that does not exist") { target in
            for name in ["a/b1", "a/b2", "a/c", "ab/c"] { try target.put(name, bytes: []) }
            #expect(try target.list(prefix: "a/b", after: nil, limit: 10).map(\.name) == ["a/b1", "a/b2"])
            #expect(try target.list(prefix: "a", after: "a/b15", limit: 10).map(\.name) == ["a/b2", "a/c", "ab/c"])
            #expect(try target.list(prefix: "a/", after: "a/c", limit: 10).map(\.name) == [])
            #expect(try target.list(prefix: "nothing/", after: nil, limit: 10).map(\.name) == [])
        },
    ]

    private static let removals: [ContractRule<any BackupTarget>] = [
        ContractRule("of many objects those that are named go; names that do not exist are ignored") { target in
            let names = (0..<1100).map { "r/\($0 % 16)/\($0)" }
            for name in names { try target.put(name, bytes: []) }
            try target.remove(Array(names.dropFirst()) + ["r/none", "none/none"])
            #expect(try target.list(prefix: "", after: nil, limit: 10).map(\.name) == [names[0]])
            try target.remove([])
            try target.remove([names[0]])
            #expect(try target.list(prefix: "", after: nil, limit: 10) == [])
            try target.put(names[0], bytes: [1])
            #expect(try target.get(names[0], limit: 1) == [1])
        }
    ]

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Expects a failure, with a reason if there is one.
    private static func expectFailure<Value>(
        _ reason: BackupTargetFailure.Reason?,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Value
    ) {
        do {
            _ = try body()
            Issue.record("The call did not fail.", sourceLocation: sourceLocation)
        } catch {
            guard let failure = error as? BackupTargetFailure else {
                Issue.record("\(error)", sourceLocation: sourceLocation)
                return
            }
            if let reason { #expect(failure.reason == reason, "\(failure)", sourceLocation: sourceLocation) }
            #expect(!failure.description.contains("\n"), sourceLocation: sourceLocation)
        }
    }
}
