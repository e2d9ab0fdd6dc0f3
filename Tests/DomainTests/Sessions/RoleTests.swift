import Domain
import Support
import Testing

@Suite struct RoleTests {
    @Test("a user has the roles that hold it, and those that hold these")
    func transitive() async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.signUp("ann")
        let editors = try await fixture.role("Editors", users: [user.id])
        let readers = try await fixture.role("Readers", roles: [editors])
        _ = try await fixture.role("Visitors", roles: [readers])
        _ = try await fixture.role("Others")
        #expect(try await fixture.caller(user.token).user?.roles == ["Editors", "Readers", "Visitors"])
    }

    @Test("the master key creates a role of any name, and clients one of ASCII letters and digits")
    func names() async throws {
        let fixture = try SessionFixture()
        for name in ["管理员", "a:b", "x@y.z"] {
            let body = #"{"name":"\#(name)","ACL":{}}"#
            try await fixture.create(body, in: .role, as: fixture.master)
            let error = await #expect(throws: ServiceError.self) { try await fixture.create(body, in: .role) }
            #expect(error?.code == .invalidRoleName)
        }
        for name in ["", "\u{212A}", #"a\n"#, String(repeating: "图", count: 43)] {
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.create(#"{"name":"\#(name)","ACL":{}}"#, in: .role, as: fixture.master)
            }
            #expect(error?.code == .invalidRoleName, "\(name)")
        }
    }

    @Test("an ACL entry grants a right to the role of exactly this name")
    func spelling() throws {
        let subjects = Subjects(user: try #require(ObjectID("u1")), roles: ["caf\u{e9}"])
        for (name, isGranted) in [("caf\u{e9}", true), ("cafe\u{301}", false)] {
            let acl = try #require(try AccessControlList(["role:\(name)": ["write": .bool(true)]]))
            #expect(acl.grants(.write, to: subjects) == isGranted)
            let stored = JSONValue.object(acl.json).encoded()
            #expect(stored.withUnsafeBufferPointer { subjects.have(.write, in: $0) } == isGranted)
        }
    }

    @Test("loops end by themselves")
    func loops() async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.signUp("ann")
        let first = try await fixture.role("A", users: [user.id])
        let second = try await fixture.role("B", roles: [first])
        for (role, member) in [(first, second), (first, first)] {
            let pointer = String(decoding: Pointer(.role, member).json.encoded(), as: UTF8.self)
            try await fixture.update(
                role,
                #"{"roles":{"__op":"AddRelation","objects":[\#(pointer)]}}"#,
                in: .role,
                as: fixture.master
            )
        }
        #expect(try await fixture.caller(user.token).user?.roles == ["A", "B"])
    }

    @Test("roles beyond the limit grant nothing")
    func limit() async throws {
        let fixture = try SessionFixture(AccountSettings(maxRoles: 3))
        let user = try await fixture.signUp("ann")
        for number in 0..<5 { _ = try await fixture.role("R\(number)", users: [user.id]) }
        #expect(try await fixture.caller(user.token).user?.roles.count == 3)
    }

    @Test("a chain of roles is followed for 64 levels")
    func deep() async throws {
        let fixture = try SessionFixture()
        let user = try await fixture.signUp("ann")
        var role = try await fixture.role("R0", users: [user.id])
        for number in 1..<70 { role = try await fixture.role("R\(number)", roles: [role]) }
        let roles = try #require(try await fixture.caller(user.token).user?.roles)
        #expect(roles == Set((0..<64).map { "R\($0)" }))
    }
}
