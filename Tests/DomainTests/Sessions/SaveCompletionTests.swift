import Domain
import Support
import Testing

/// The further items of a save for an object that the save itself creates: Objective-C sends the operations on a new
/// object, and its pointers to other new objects, apart from its plain fields (protocol/data 2.2).
@Suite struct SaveCompletionTests {
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
    }

    /// The number of notes with a field.
    private func notes(with field: String) async throws -> Int {
        try await fixture.store.read { [note] in
            try $0.find(ObjectQuery(note, page: .all)).count { $0.fields[field] != nil }
        }
    }

    @Test(
        "they need no right to update the object",
        arguments: [#"{"*":{"read":true}}"#, #"{"role:Editors":{"read":true,"write":true}}"#, "{}", nil] as [String?],
        [false, true]
    )
    func completion(acl: String?, isRepeated: Bool) async throws {
        if acl == nil { try await fixture.permit(#"{"update":[]}"#, of: note) }
        let first = acl.map { #"{"title":"a","ACL":\#($0)}"# } ?? #"{"title":"a"}"#
        let rest = isRepeated ? #"{"tags":["q"]}"# : #"{"tags":{"__op":"AddUnique","objects":["q"]}}"#
        let items = [
            try fixture.item(#"{"__internalId":"B"}"#, in: note), try fixture.item(first, in: note),
            try fixture.item(
                #"{"__children":[{"className":"Note","cid":"B","key":"next"}],\#(rest.dropFirst())"#,
                in: note,
                creates: isRepeated
            ),
        ]
        #expect(try await fixture.save(items, as: caller) == nil)
        #expect(try await notes(with: "tags") == 1)
        #expect(try await notes(with: "next") == 1)
    }

    @Test("an existing object needs it")
    func existing() async throws {
        let open = try fixture.id(of: try await fixture.create("{}", in: note))
        let closed = try fixture.id(of: try await fixture.create(#"{"ACL":{"*":{"read":true}}}"#, in: note))
        let new = try fixture.item("{}", in: note)
        let change = try fixture.item(#"{"n":1}"#, in: note, id: closed)
        #expect(try await fixture.save([new, change], as: caller) == .forbidden)
        try await fixture.permit(#"{"update":[]}"#, of: note)
        let other = try fixture.item(#"{"n":1,"__internalId":"A"}"#, in: note, id: open)
        #expect(try await fixture.save([new, other], as: caller) == .forbidden)
    }

    @Test("all other rules stay: new fields, fields that are read only, names of roles")
    func rules() async throws {
        let part = try fixture.item(#"{"n":1}"#, in: note, creates: false)
        let new = try fixture.item("{}", in: note)
        try await fixture.permit(#"{"add_fields":[]}"#, of: note)
        #expect(try await fixture.save([new, part], as: caller) == .forbidden)
        let role = try fixture.item(#"{"name":"Editors","ACL":{"*":{"read":true}}}"#, in: .role)
        let name = try fixture.item(#"{"name":"Others"}"#, in: .role, creates: false)
        #expect(try await fixture.save([role, name], as: caller) == .invalidRoleName)
        let user = try fixture.item(#"{"username":"bob","password":"x"}"#, in: .user)
        let flag = try fixture.item(#"{"emailVerified":true}"#, in: .user, creates: false)
        #expect(try await fixture.save([user, flag], as: caller) == .readOnlyField)
    }

    @Test("a new role gets members that its ACL does not let the caller add later")
    func members() async throws {
        let pointer = String(decoding: Pointer(.user, ann).json.encoded(), as: UTF8.self)
        let items = [
            try fixture.item(#"{"name":"Editors","ACL":{"*":{"read":true}}}"#, in: .role),
            try fixture.item(#"{"users":{"__op":"AddRelation","objects":[\#(pointer)]}}"#, in: .role, creates: false),
        ]
        #expect(try await fixture.save(items, as: caller) == nil)
        #expect(try await fixture.sessions.revalidated(caller).user?.roles == ["Editors"])
    }

    @Test("a user whom the save creates needs no right to update, one whom it logs in does")
    func users() async throws {
        try await fixture.permit(#"{"update":[]}"#, of: .user)
        let first = try fixture.item(#"{"authData":{"anonymous":{"id":"1"}}}"#, in: .user)
        let rest = try fixture.item(#"{"city":"Lyon"}"#, in: .user, creates: false)
        #expect(try await fixture.save([first, rest], as: fixture.guest) == nil)
        #expect(try await fixture.save([first, rest], as: fixture.guest) == .forbidden)
    }

    @Test("a child is an object of the save, or has an id: one of the server's form, or that of an object")
    func children() async throws {
        let imported = #"{"objectId":"imported1"}"#
        try await fixture.create(imported, in: note, as: fixture.master)
        for (cid, code) in [
            ("imported1", nil), ("0123456789abcdef01234567", nil), ("missing", .malformedPointer),
            ("0123456789ABCDEF01234567", .malformedPointer), ("a-b", .malformedPointer),
        ] as [(String, ServiceError.Code?)] {
            let child = #"{"__children":[{"className":"Note","cid":"\#(cid)","key":"child"}]}"#
            #expect(try await fixture.save([fixture.item(child, in: note)], as: caller) == code, "\(cid)")
        }
    }
}
