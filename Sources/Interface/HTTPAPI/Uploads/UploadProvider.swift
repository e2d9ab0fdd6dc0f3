/// The dialect that a token names, of those that SDKs know.
package enum UploadProvider: String, Sendable, CaseIterable {
    case s3
    case qiniu
    case qcloud
}

/// The SDK that requests a token, by its user agent: `LeanCloud-JS-SDK/4.15.3 (Browser)` (protocol/files 2.9).
package struct ClientAgent: Sendable, Equatable {
    /// An SDK, as `uploads.providers` names it.
    package enum SDK: String, Sendable, CaseIterable {
        case objc
        case swift
        case js
        case java
        case csharp
        case flutter
        case go
        case python
        case php
        case cli
        case other
    }

    let sdk: SDK
    /// Nothing if it says none.
    let version: [Int]

    /// Reads `X-LC-UA` or `User-Agent`; only its beginning counts.
    init(_ text: String) {
        let known = ClientAgent.names.first { text.lowercased().hasPrefix($0.0) }
        sdk = known?.1 ?? .other
        let rest = text.dropFirst(known?.0.count ?? 0).drop { $0 == "/" }
        version = rest.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
    }

    /// How SDKs call themselves, the longer of two that begin alike first.
    private static let names: [(String, SDK)] = [
        ("leancloud-js-sdk", .js),
        ("leancloud-objc-sdk", .objc), ("avos cloud ios-", .objc), ("avos cloud osx-", .objc),
        ("leancloud-swift-sdk", .swift),
        ("leancloud-java-sdk", .java), ("leancloud-android-sdk", .java), ("leancloud sdk v", .java),
        ("leancloud-csharp-sdk", .csharp), ("leancloud-net-sdk", .csharp), ("leanstorage-net", .csharp),
        ("leancloud-flutter-sdk", .flutter),
        ("leancloud-go-upload", .cli), ("leancloud-cli", .cli),
        ("leancloud-go", .go),
        ("avos cloud python-", .python),
        ("leancloud php sdk", .php),
    ]
}

/// The provider that each SDK is told to use: the setting `uploads.providers`.
package struct ProviderChoice: Sendable, Equatable {
    private var chosen: [ClientAgent.SDK: UploadProvider] = [:]

    /// What docs/uploads.md recommends, for all.
    package init() {}

    /// Reads `java=qiniu, csharp=qiniu`; `nil` if it is not of that form.
    package init?(_ text: String) {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            guard parts.count == 2, let sdk = ClientAgent.SDK(rawValue: parts[0]),
                let provider = UploadProvider(rawValue: parts[1]), chosen[sdk] == nil
            else { return nil }
            chosen[sdk] = provider
        }
    }

    /// The provider's name for a client: `s3` is the only one for which no SDK uses another vendor's host.
    ///
    /// JavaScript cannot send to it from mini-programs, from React Native and from streams; its `qiniu` keeps to our
    /// address from 3.2.1 on, but in 4.11.0.
    func provider(for agent: ClientAgent) -> UploadProvider {
        if let provider = chosen[agent.sdk] { return provider }
        guard agent.sdk == .js else { return .s3 }
        let isOld = !agent.version.isEmpty && agent.version.lexicographicallyPrecedes([3, 2, 1])
        return isOld || agent.version == [4, 11, 0] ? .s3 : .qiniu
    }
}
