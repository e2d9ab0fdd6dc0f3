package import Domain
internal import Testing

/// Devices on every ``ObjectStore``: a `POST` creates an installation or updates the one of the device.
package enum InstallationContract {
    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("a device token or an installation id that exists updates its installation") { store in
            let app = try await PeopleApp(store)
            for (field, value) in [("deviceToken", "t1"), ("installationId", "i1")] {
                let first = try await app.register(#"{"\#(field)":"\#(value)","channels":["a"]}"#)
                let again = try await app.register(#"{"\#(field)":"\#(value)","channels":["b"],"badge":3}"#)
                #expect(first.created != nil)
                #expect(again.created == nil)
                #expect(try first.id == again.id)
                #expect(try again.members["createdAt"] == first.members["createdAt"])
                #expect(try again.members["updatedAt"] != nil)
            }
            let rows = try await app.rows(of: .installation)
            #expect(rows.count == 2)
            #expect(rows.allSatisfy { $0.fields["channels"] == .array(["b"]) && $0.fields["badge"] == .integer(3) })
        },
        ContractRule("an empty or missing token is no token, and others have installations of their own") { store in
            let app = try await PeopleApp(store)
            for body in [#"{"deviceType":"ios"}"#, #"{"deviceToken":""}"#, #"{"deviceToken":null}"#] {
                #expect(try await app.register(body).created != nil)
                #expect(try await app.register(body).created != nil)
            }
            try await app.register(#"{"deviceToken":"a"}"#)
            #expect(try await app.register(#"{"deviceToken":"A"}"#).created != nil)
        },
        ContractRule("an id that a client sends back updates, and one of another server is ignored") { store in
            let app = try await PeopleApp(store)
            let id = try #require(try await app.register(#"{"deviceToken":"t1"}"#).id)
            let times = #""createdAt":"2020-01-01T00:00:00.000Z","updatedAt":"2020-01-01T00:00:00.000Z""#
            let again = try await app.register(#"{"objectId":"\#(id)","deviceToken":"t2",\#(times)}"#)
            #expect(try again.id == id)
            let foreign = try await app.register(#"{"objectId":"64f0c1a2b3d4e5f601234567","deviceToken":"t3"}"#)
            #expect(try foreign.id != ObjectID("64f0c1a2b3d4e5f601234567"))
            #expect(try await app.count(of: .installation) == 2)
        },
        ContractRule("the installation id decides before the token, and the token's other installation is removed") {
            store in
            let app = try await PeopleApp(store)
            let byID = try await app.register(#"{"installationId":"i1","deviceToken":"old"}"#).id
            try await app.register(#"{"installationId":"i2","deviceToken":"new"}"#)
            #expect(try await app.register(#"{"installationId":"i1","deviceToken":"new"}"#).id == byID)
            let rows = try await app.rows(of: .installation)
            #expect(rows.map(\.fields["deviceToken"]) == ["new"])
        },
        ContractRule("an ACL protects the installation that a token names") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            let acl = #""ACL":{"\#(ann.id)":{"read":true,"write":true}}"#
            try await app.register(#"{"deviceToken":"t1",\#(acl)}"#, as: ann)
            // The token's installation of another user stays beside the own one, also for a device that was reset.
            #expect(try await app.register(#"{"installationId":"i1","deviceToken":"t1"}"#, as: bob).created != nil)
            #expect(try await app.register(#"{"installationId":"i2","deviceToken":"t1"}"#, as: bob).created == nil)
            #expect(try await app.register(#"{"installationId":"i2","deviceToken":"t1"}"#, as: bob).created == nil)
            #expect(try await app.count(of: .installation) == 2)
            #expect(try await app.register(#"{"installationId":"i3","deviceToken":"t1"}"#, as: ann).created == nil)
            let owners = try await app.rows(of: .installation).map { $0.fields["installationId"] }
            #expect(owners.contains("i3"))
        },
        ContractRule("a device that could not change its second installation either gets none") { store in
            let app = try await PeopleApp(store)
            let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
            try await app.register(#"{"deviceToken":"t0"}"#)
            let rights = JSONValue.object(["read": .bool(true), "write": .bool(true)])
            try await store.write { writer in
                var schema = try #require(try writer.schema(of: .installation))
                schema.defaultACL = AccessControlList(stored: ["owner": rights])
                try writer.save(schema)
            }
            #expect(try await app.register(#"{"deviceToken":"t1"}"#).created != nil)
            await expectFailure(.forbidden) { try await app.register(#"{"deviceToken":"t1"}"#) }
            let acl = #""ACL":{"\#(ann.id)":{"read":true,"write":true}}"#
            await expectFailure(.forbidden) { try await app.register(#"{"deviceToken":"t1",\#(acl)}"#, as: bob) }
            #expect(try await app.count(of: .installation) == 2)
            // A user owns the new one, and an ACL in the request precedes that of the class.
            #expect(try await app.register(#"{"deviceToken":"t1"}"#, as: bob).created != nil)
            #expect(try await app.register(#"{"deviceToken":"t1"}"#, as: bob).created == nil)
            let open = #""ACL":{"*":{"read":true,"write":true}}"#
            #expect(try await app.register(#"{"deviceToken":"t1",\#(open)}"#).created != nil)
            #expect(try await app.register(#"{"deviceToken":"t1"}"#).created == nil)
        },
        ContractRule("imports store what they bring, also devices with one token") { store in
            let app = try await PeopleApp(store)
            for id in ["64f0c1a2b3d4e5f601234561", "64f0c1a2b3d4e5f601234562"] {
                let reply = try await app.register(#"{"objectId":"\#(id)","deviceToken":"t1"}"#, as: app.master)
                #expect(reply.created?.id == ObjectID(id))
            }
        },
    ]
}

extension PeopleApp {
    @discardableResult
    fileprivate func register(_ body: String, as caller: Caller? = nil) async throws -> ObjectReply {
        try await create(body, in: .installation, as: caller ?? guest)
    }
}

extension ObjectReply {
    /// The id that the reply shows.
    fileprivate var id: ObjectID? {
        get throws { try members["objectId"]?.stringValue.flatMap(ObjectID.init) }
    }
}
