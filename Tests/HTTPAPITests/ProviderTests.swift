import Testing

@testable import HTTPAPI

@Suite struct ProviderTests {
    @Test(
        "JavaScript SDKs that upload to our URL get qiniu, all others s3 (protocol/files 2.9)",
        arguments: [
            ("LeanCloud-Objc-SDK/14.0.0", .s3), ("AVOS Cloud iOS-v8.2.0 SDK", .s3),
            ("LeanCloud-Swift-SDK/17.11.0", .s3), ("LeanCloud-JS-SDK/4.15.3 (Browser)", .qiniu),
            ("LeanCloud-JS-SDK/4.11.1 (Browser)", .qiniu), ("LeanCloud-JS-SDK/4.11.0 (Browser)", .s3),
            ("LeanCloud-JS-SDK/4.10.0 (Browser)", .qiniu), ("LeanCloud-JS-SDK/3.2.1 (Browser)", .qiniu),
            ("LeanCloud-JS-SDK/3.2.0 (Browser)", .s3), ("LeanCloud-JS-SDK/0.6.9", .s3),
            ("LeanCloud-JS-SDK/4.15.3 (Node.js/18.0.0)", .qiniu),
            ("LeanCloud-JS-SDK/3.15.0 (Node.js; Node.js/v12.10.0)", .qiniu),
            ("LeanCloud-JS-SDK/4.12.0 (Weapp)", .qiniu), ("LeanCloud-JS-SDK/4.12.0 (ReactNative)", .qiniu),
            ("LeanCloud-Java-SDK/8.2.28", .s3), ("LeanCloud SDK v5.0.5", .s3), ("LeanCloud-CSharp-SDK/0.10.2", .s3),
            ("LeanCloud-CSharp-SDK/2.4.1", .s3), ("LeanCloud-Flutter-SDK/0.7.7", .s3),
            ("LeanCloud-Flutter-SDK/0.7.10", .s3), ("LeanCloud-Golang-SDK/0.3.2 linux/go1.18", .s3),
            ("AVOS Cloud python-2.9.12 SDK (3.9)", .s3), ("LeanCloud PHP SDK 0.14.3", .s3),
            ("LeanCloud-Go-Upload/0.1", .s3), ("curl/8.5.0", .s3), ("", .s3),
        ] as [(String, UploadProvider)]
    )
    func recommended(agent: String, provider: UploadProvider) {
        #expect(ProviderChoice().provider(for: ClientAgent(agent)) == provider)
    }

    @Test(
        "versions of JavaScript are compared by their numbers",
        arguments: [
            ("LeanCloud-JS-SDK/10.0.0", .qiniu), ("LeanCloud-JS-SDK/3.10.0", .qiniu),
            ("LeanCloud-JS-SDK/4.11.10", .qiniu), ("LeanCloud-JS-SDK/5.0.0-rc.1 (Browser)", .qiniu),
            ("LeanCloud-JS-SDK/2.99.99", .s3), ("LeanCloud-JS-SDK", .qiniu), ("leancloud-js-sdk/3.1.9", .s3),
            // LeanEngine's own version, whose first number says which version of JavaScript it needs.
            ("AVOS Cloud Code Node 3.8.0", .qiniu), ("AVOS Cloud Code Node 3.0.0", .qiniu),
            ("AVOS Cloud Code Node 3.0.0-alpha.0", .qiniu), ("AVOS Cloud Code Node 10.0.0", .qiniu),
            ("AVOS Cloud Code Node 2.0.5", .s3), ("AVOS Cloud Code Node 1.2.4", .s3),
            ("AVOS Cloud Code Node 0.4.2", .s3),
        ] as [(String, UploadProvider)]
    )
    func versions(agent: String, provider: UploadProvider) {
        #expect(ProviderChoice().provider(for: ClientAgent(agent)) == provider)
    }

    @Test(
        "SDKs are known by how they begin to call themselves",
        arguments: [
            ("LeanCloud-Objc-SDK/14.0.0", .objc), ("LeanCloud-Swift-SDK/17.11.0", .swift),
            ("LeanCloud-JS-SDK/4.15.3 (Browser)", .js), ("LeanCloud-Java-SDK/8.2.28", .java),
            ("LeanCloud-CSharp-SDK/2.4.1", .csharp), ("LeanCloud-Flutter-SDK/0.7.10", .flutter),
            ("LeanCloud-Golang-SDK/0.3.2 linux/go1.18", .go), ("LeanCloud-Go-Upload/0.1", .cli),
            ("AVOS Cloud python-2.9.12 SDK", .python), ("LeanCloud PHP SDK 0.14.3", .php), ("curl/8.5.0", .other),
            ("AVOS Cloud Code Node 3.8.0", .js), ("AVOS Cloud Code", .other),
            ("Mozilla/5.0 LeanCloud-JS-SDK/4.15.3", .other), ("", .other),
        ] as [(String, ClientAgent.SDK)]
    )
    func known(agent: String, sdk: ClientAgent.SDK) {
        #expect(ClientAgent(agent).sdk == sdk)
    }

    @Test("an operator's choice is for the SDKs that it names, and no others")
    func chosen() throws {
        let choice = try #require(ProviderChoice("java=qiniu, js = s3,other=qcloud"))
        #expect(choice.provider(for: ClientAgent("LeanCloud-Java-SDK/8.2.28")) == .qiniu)
        #expect(choice.provider(for: ClientAgent("LeanCloud-JS-SDK/4.15.3")) == .s3)
        #expect(choice.provider(for: ClientAgent("curl/8.5.0")) == .qcloud)
        #expect(choice.provider(for: ClientAgent("LeanCloud-CSharp-SDK/2.4.1")) == .s3)
    }

    @Test("every SDK may be told every provider", arguments: ClientAgent.SDK.allCases, UploadProvider.allCases)
    func words(sdk: ClientAgent.SDK, provider: UploadProvider) {
        #expect(ProviderChoice("\(sdk.rawValue)=\(provider.rawValue)") != nil)
    }

    @Test(
        "only Java sends to qcloud in slices",
        arguments: ClientAgent.SDK.allCases,
        UploadProvider.allCases
    )
    func slices(sdk: ClientAgent.SDK, provider: UploadProvider) throws {
        let choice = try #require(ProviderChoice("\(sdk.rawValue)=\(provider.rawValue)"))
        #expect(choice.needsSlices == (sdk == .java && provider == .qcloud))
    }

    @Test("no choice is the recommendation")
    func empty() {
        #expect(ProviderChoice("") == ProviderChoice())
    }

    @Test(
        "what is no choice is refused",
        arguments: [
            "java", "java=", "=qiniu", "java=qiniu=s3", "ruby=s3", "java=aws", "java=S3", "Java=s3",
            "java=s3,java=qiniu", "java=s3;csharp=s3", "java:s3",
        ]
    )
    func refused(text: String) {
        #expect(ProviderChoice(text) == nil)
    }
}
