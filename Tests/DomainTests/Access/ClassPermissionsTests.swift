import Domain
import Testing

@Suite struct ClassPermissionsTests {
    private let guest: Caller
    private let user: Caller
    private let member: Caller
    private let master: Caller
    private let name: ClassName

    init() throws {
        let app = try #require(AppID("app"))
        let ids = try ["a1", "b2", "s3"].map { try #require(ObjectID($0)) }
        guest = Caller(app: app)
        user = Caller(app: app, user: Caller.User(id: ids[0], session: ids[2]))
        member = Caller(app: app, user: Caller.User(id: ids[1], session: ids[2], roles: ["Editors"]))
        master = Caller(app: app, isMaster: true)
        name = try ClassName("Task")
    }

    @Test(
        "each audience allows the callers that it names",
        arguments: [
            ([], [false, false, false, true]), (["everyone"], [true, true, true, true]),
            (["users"], [false, true, true, true]), (["user:a1"], [false, true, false, true]),
            (["role:Editors"], [false, false, true, true]), (["role:Editor"], [false, false, false, true]),
            (["user:a1", "role:Editors"], [false, true, true, true]),
        ] as [([String], [Bool])],
        ClassOperation.allCases
    )
    func audiences(row: ([String], [Bool]), operation: ClassOperation) throws {
        let (entries, expected) = row
        var permissions = ClassPermissions(of: name)
        for each in ClassOperation.allCases { permissions[each] = [] }
        permissions[operation] = Set(try entries.map { try Audience($0) })
        #expect([guest, user, member, master].map { permissions.allow(operation, to: $0) } == expected)
    }

    @Test(
        "entries come back as they were read",
        arguments: ["everyone", "users", "user:a1", "role:Two Words", "role:管理:员"]
    )
    func entries(entry: String) throws {
        #expect(try Audience(entry).entry == entry)
    }

    @Test(
        "other entries are refused",
        arguments: ["", "nobody", "Everyone", "user:", "user", "user:a/b", "role:", "role:a\n", "everyone:x", "users:"]
    )
    func refused(entry: String) {
        let error = #expect(throws: ServiceError.self) { try Audience(entry) }
        #expect(error?.code == .badRequest)
    }

    @Test("built-in classes begin with what must be closed closed")
    func defaults() {
        #expect(!ClassPermissions(of: .file).allow(.delete, to: user))
        #expect(ClassPermissions(of: .file).allow(.create, to: guest))
        #expect(!ClassPermissions(of: .user).allow(.find, to: user))
        #expect(ClassPermissions(of: .user).allow(.get, to: guest))
        for operation in ClassOperation.allCases {
            #expect(!ClassPermissions(of: .session).allow(operation, to: member))
            #expect(ClassPermissions(of: name).allow(operation, to: guest))
        }
    }
}
