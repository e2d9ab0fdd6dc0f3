import Domain
import Testing

@Suite struct AuthenticatorTests {
    private static let authenticator: Authenticator = {
        let ids = ["appOne", "appTwo"].compactMap(AppID.init)
        return Authenticator(keys: [
            ids[0]: AppKeys(appKey: Secret("exampleAppKey"), masterKey: Secret("exampleMasterKey")),
            ids[1]: AppKeys(appKey: Secret("otherAppKey"), masterKey: Secret("otherMasterKey")),
        ])
    }()

    private func isMaster(_ proof: Credentials.Proof, app: String = "appOne") throws -> Bool {
        try Self.authenticator.authenticate(Credentials(appID: app, proof: proof)).isMaster
    }

    @Test(
        "keys and the reference's signatures open what they stand for",
        arguments: [
            (.key("exampleAppKey"), false),
            (.key("exampleMasterKey,master"), true),
            (.masterKey("exampleMasterKey"), true),
            (.signature("7ab8e6e21594aeea1ca2dd7c62cb8b4d,1700000000000"), false),
            (.signature("cbc1badd726630ea16ae4a6d1af9c264,1700000000000,master"), true),
            (.signature("b6a888135377de5dd320fde8f341e598,1700000000"), false),
        ] as [(Credentials.Proof, Bool)]
    )
    func opens(proof: Credentials.Proof, expected: Bool) throws {
        #expect(try isMaster(proof) == expected)
    }

    @Test(
        "everything else is unauthorized",
        arguments: [
            .key("exampleMasterKey"), .key("exampleAppKey,master"), .key(""), .key(",master"), .key("exampleAppKey "),
            .masterKey("exampleAppKey"), .masterKey("exampleMasterKey,master"),
            .signature("7AB8E6E21594AEEA1CA2DD7C62CB8B4D,1700000000000"),
            .signature("7ab8e6e21594aeea1ca2dd7c62cb8b4d,1700000000001"),
            .signature("7ab8e6e21594aeea1ca2dd7c62cb8b4d,1700000000000,master"),
            .signature("7ab8e6e21594aeea1ca2dd7c62cb8b4d"), .signature(""), .signature(",,"),
            .key("otherAppKey"),
        ] as [Credentials.Proof]
    )
    func refuses(proof: Credentials.Proof) {
        let error = #expect(throws: ServiceError.self) { try isMaster(proof) }
        #expect(error?.code == .unauthorized)
        #expect(error?.message == "Unauthorized.")
    }

    @Test("an unknown app and no credentials at all sound the same", arguments: ["nobody", "", "../x"])
    func unknownApp(id: String) {
        let unknown = #expect(throws: ServiceError.self) { try isMaster(.key("exampleAppKey"), app: id) }
        let none = #expect(throws: ServiceError.self) { try Self.authenticator.authenticate(nil) }
        #expect(unknown?.message == none?.message)
        #expect(unknown?.code == none?.code)
    }

    @Test("a secret never prints itself")
    func secretsStaySecret() {
        #expect("\(Secret("hush"))" == "<secret>")
        #expect(
            String(describing: AppKeys(appKey: Secret("hush"), masterKey: Secret("hush"))).contains("hush") == false
        )
    }

    @Test(
        "an app id is safe as a folder's name",
        arguments: ["..", "a/b", "", "-a", "a.b", ".lock", String(repeating: "a", count: 65)]
    )
    func appIDRefused(text: String) {
        #expect(AppID(text) == nil)
    }
}
