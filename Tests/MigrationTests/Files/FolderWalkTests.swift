import Testing

@testable import Migration

@Suite struct FolderWalkTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        for name in ["a.jpg", "b.txt", ".hidden", "sub/c.jpg", "sub/deep/d.jpg", ".git/e.jpg", "名字/猫 1.jpg"] {
            try folder.write(name, to: name)
        }
    }

    private func names(_ change: (inout PathRules) -> Void) throws -> Set<String> {
        var rules = PathRules()
        change(&rules)
        var walk = FolderWalk(folder.path, rules, FileTemplate())
        var names: Set<String> = []
        while let element = try walk.next() {
            switch element {
            case .item(let item): names.insert(String(item.name.dropFirst(folder.path.count + 1)))
            case .unusable(let name, let reason): names.insert("\(name.dropFirst(folder.path.count + 1)): \(reason)")
            }
        }
        return names
    }

    @Test("hidden files and folders are taken only if they are asked for")
    func hidden() throws {
        let open: Set = ["a.jpg", "b.txt", "sub/c.jpg", "sub/deep/d.jpg", "名字/猫 1.jpg"]
        #expect(try names { _ in } == open)
        #expect(try names { $0.showsHidden = true } == open.union([".hidden", ".git/e.jpg"]))
    }

    @Test("journals of imports and exports are left out, with the files beside them")
    func journals() throws {
        let open = try names { $0.showsHidden = true }
        let journals = ["sub.lcfile-journal", "sub.lcfile-journal-wal", "x/app.lcfile-export-journal-shm"]
        for name in journals { try folder.write("", to: name) }
        #expect(try names { $0.showsHidden = true } == open)
    }

    @Test("an excluded folder is left out with everything in it")
    func excluded() throws {
        #expect(try names { $0.excluded = ["sub"] } == ["a.jpg", "b.txt", "名字/猫 1.jpg"])
        #expect(try names { $0.excluded = ["*.jpg"] } == ["b.txt"])
    }

    @Test("a file must match one of the included patterns")
    func included() throws {
        #expect(try names { $0.included = ["*.txt", "sub/*.jpg"] } == ["b.txt", "sub/c.jpg"])
    }

    @Test("links are followed only if they are asked for, and never in circles")
    func links() throws {
        try folder.link("sub/up", to: "..")
        try folder.link("copy.txt", to: "b.txt")
        try folder.link("broken", to: "nothing")
        let open: Set = ["a.jpg", "b.txt", "sub/c.jpg", "sub/deep/d.jpg", "名字/猫 1.jpg"]
        #expect(try names { _ in } == open)
        let expected = open.union([
            "copy.txt", "sub/up: a symbolic link leads back to a folder above it", "broken: No such file or directory",
        ])
        #expect(try names { $0.followsLinks = true } == expected)
    }

    @Test("a folder that cannot be read is reported")
    func missing() throws {
        var walk = FolderWalk(folder.path + "/none", PathRules(), FileTemplate())
        guard case .unusable(let name, let reason) = try walk.next() else {
            Issue.record("the folder is not reported")
            return
        }
        #expect(name == folder.path + "/none")
        #expect(reason == "the folder cannot be read: No such file or directory")
    }

    @Test(
        "patterns match as in shells",
        arguments: [
            ("*.jpg", "a.jpg", true), ("*.jpg", "sub/a.jpg", true), ("*.jpg", "a.png", false),
            ("sub/*.jpg", "sub/a.jpg", true), ("sub/*.jpg", "sub/deep/a.jpg", false), ("/a.jpg", "a.jpg", true),
            ("/a.jpg", "sub/a.jpg", false), ("**/deep/*.jpg", "sub/deep/a.jpg", true),
            ("**/deep/*.jpg", "deep/a.jpg", true), ("sub/**/*.jpg", "sub/x/y/a.jpg", true),
            ("sub/**/*.jpg", "sub/a.jpg", true), ("sub/**/*.jpg", "other/a.jpg", false), ("sub/", "sub", true),
            ("[ab]?.txt", "a1.txt", true), ("[ab]?.txt", "c1.txt", false),
        ]
    )
    func patterns(pattern: String, path: String, matches: Bool) {
        #expect(PathRules.matches(pattern, path) == matches)
    }
}
