/// The upload dialect that the response with a token names; SDKs support these three.
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
    /// The version of the SDK; empty if the user agent does not say it.
    let version: [Int]

    /// Parses `X-LC-UA` or `User-Agent`, of which only the beginning counts.
    init(_ text: String) {
        let known = ClientAgent.names.first { text.lowercased().hasPrefix($0.0) }
        sdk = known?.1 ?? .other
        let rest = text.dropFirst(known?.0.count ?? 0).drop { $0 == "/" }
        let numbers = rest.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        // LeanEngine 2.x works with version 2 of the SDK, and 3.x with versions 3 and 4.
        version = known?.0 == ClientAgent.leanEngine && numbers.first ?? 0 >= 3 ? [] : numbers
    }

    /// LeanEngine's SDK for Node.js replaces the user agent of the JavaScript SDK with its own name and version.
    private static let leanEngine = "avos cloud code node "

    /// The names in user agents; of two with the same beginning, the longer one is first.
    private static let names: [(String, SDK)] = [
        ("leancloud-js-sdk", .js), (leanEngine, .js),
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

/// The provider for each SDK: the setting `uploads.providers`.
package struct ProviderChoice: Sendable, Equatable {
    private var chosen: [ClientAgent.SDK: UploadProvider] = [:]

    /// Creates the choice that docs/uploads.md recommends.
    package init() {}

    /// Parses `java=qiniu, csharp=qiniu`; `nil` if the string has another form.
    package init?(_ text: String) {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            guard parts.count == 2, let sdk = ClientAgent.SDK(rawValue: parts[0]),
                let provider = UploadProvider(rawValue: parts[1]), chosen[sdk] == nil
            else { return nil }
            chosen[sdk] = provider
        }
    }

    /// Whether Java gets `qcloud`: its SDK sends files above 512 KiB in slices (`op=upload_slice`), which the server does
    /// not have.
    package var needsSlices: Bool { chosen[.java] == .qcloud }

    /// The provider's name for a client; `s3` is the only provider with which no SDK uses another vendor's host.
    ///
    /// JavaScript cannot send to `s3` from mini-programs, from React Native and from streams; its `qiniu` uses this
    /// server's URL from 3.2.1 on, except in 4.11.0.
    func provider(for agent: ClientAgent) -> UploadProvider {
        if let provider = chosen[agent.sdk] { return provider }
        guard agent.sdk == .js else { return .s3 }
        let isOld = !agent.version.isEmpty && agent.version.lexicographicallyPrecedes([3, 2, 1])
        return isOld || agent.version == [4, 11, 0] ? .s3 : .qiniu
    }
}
