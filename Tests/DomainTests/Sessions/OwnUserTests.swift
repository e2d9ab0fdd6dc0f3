import Domain
import Support
import Testing

/// A user can read itself, also against its ACL and the permissions of the class (docs/permissions.md).
@Suite struct OwnUserTests {
    private let fixture: SessionFixture
    private let note: ClassName
    private let ann: ObjectID
    private let caller: Caller

    init() async throws {
        fixture = try SessionFixture()
        note = try ClassName("Note")
        let user = try await fixture.signUp("ann")
        ann = user.id
        caller = try await fixture.caller(user.token)
        try await fixture.update(ann, #"{"ACL":{}}"#, in: .user, as: caller)
    }

    @Test("itself, also in place of pointers to it", arguments: [#"{"get":["everyone"]}"#, #"{"get":[]}"#])
    func included(permissions: String) async throws {
        try await fixture.permit(permissions, of: .user)
        let pointer = String(decoding: Pointer(.user, ann).json.encoded(), as: UTF8.self)
        let body = #"{"author":\#(pointer),"readers":[\#(pointer)]}"#
        let id = try fixture.id(of: try await fixture.create(body, in: note))
        let view = ObjectView(include: "author,readers", keys: "", returnsACL: false)
        for (reader, name) in [(caller, "ann"), (fixture.guest, nil)] as [(Caller, JSONValue?)] {
            let seen = try await fixture.objects.perform(ObjectCommand(note, .get(id), view: view), as: reader).members
            #expect(seen["author"]?.objectValue?["username"] == name)
            #expect(seen["readers"]?.arrayValue?.first?.objectValue?["username"] == name)
        }
        _ = try await fixture.objects.perform(ObjectCommand(.user, .get(ann)), as: caller)
    }

    @Test("queries find it while they are closed; when they are open, its ACL decides", arguments: [false, true])
    func found(isOpen: Bool) async throws {
        if isOpen { try await fixture.permit(#"{"find":["everyone"]}"#, of: .user) }
        let search = ObjectCommand.Search(page: try Page())
        let reply = try await fixture.objects.perform(ObjectCommand(.user, .find(search)), as: caller)
        #expect(try #require(reply.listing).objects.count == (isOpen ? 0 : 1))
    }
}
