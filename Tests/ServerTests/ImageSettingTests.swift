import Domain
import Storage
import Support
import Testing

@testable import Server

/// `images.*`.
@Suite struct ImageSettingTests {
    private func load(_ name: String, _ value: String) async throws -> ServerConfiguration {
        let variable = ConfigurationLoader.environmentVariable(of: "images.\(name)")
        return try ConfigurationLoader(environment: [variable: value]).load()
    }

    @Test("without words the limits are those of the guide")
    func defaults() throws {
        let configuration = ServerConfiguration()
        let limits = configuration.images.limits
        #expect(limits.sourceSize == 20 << 20)
        #expect(limits.sourceSide == 30_000 && limits.sourcePixels == 150_000_000)
        #expect(limits.resultSide == 9_999 && limits.resultPixels == 25_000_000)
        #expect(limits.frames == 200 && limits.animationPixels == 60_000_000)
        #expect(limits.operators == 16 && limits.textLength == 1000 && limits.timeout == 30)
        #expect(limits.work == 15_000)
        #expect(configuration.images.effort == .fast)
        #expect(!configuration.images.keepsCopyright)
        #expect(configuration.images.preScaledSide == 0)
        #expect(configuration.threads.imageMemory == 512 << 20)
        #expect(configuration.threads.imageWorkers == 2 && configuration.threads.imageWorkerMemory == 512 << 20)
        #expect(configuration.derivativeCache == 1 << 30)
    }

    @Test(
        "images that are answered from memory may take a quarter of what their making may",
        arguments: [("512MB", 128 << 20), ("1GB", 256 << 20)]
    )
    func servedImageMemory(memory: String, bound: Int) async throws {
        #expect(try await load("memory", memory).servedImageMemory == bound)
    }

    @Test(
        "files of other servers may take twice the largest ones that four threads fetch, and 64 MB at least",
        arguments: [("20MB", 160 << 20), ("1MB", 64 << 20)]
    )
    func fetchedMemory(largest: String, bound: Int) async throws {
        #expect(try await load("maxSourceSize", largest).fetchedMemory == bound)
    }

    /// A setting, a value, and where that is found.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let isRead: @Sendable (ServerConfiguration) -> Bool

        init(_ name: String, _ value: String, _ isRead: @escaping @Sendable (ServerConfiguration) -> Bool) {
            self.name = name
            self.value = value
            self.isRead = isRead
        }

        var testDescription: String { "\(name): \(value)" }
    }

    private static let cases = [
        Case("threads", "3") { $0.threads.images == 3 },
        Case("maxQueued", "0") { $0.threads.imageQueue == 0 },
        Case("memory", "1GB") { $0.threads.imageMemory == 1 << 30 },
        Case("timeout", "7") { $0.images.limits.timeout == 7 },
        Case("maxWork", "5000") { $0.images.limits.work == 5000 },
        Case("workers", "5") { $0.threads.imageWorkers == 5 },
        Case("workerMemory", "64MB") { $0.threads.imageWorkerMemory == 64 << 20 },
        Case("cacheSize", "0") { $0.derivativeCache == 0 },
        Case("cacheSize", "3GB") { $0.derivativeCache == 3 << 30 },
        Case("mezzanine", "2048") { $0.images.preScaledSide == 2048 },
        Case("quality", "best") { $0.images.effort == .best },
        Case("keepCopyright", "true") { $0.images.keepsCopyright },
        Case("maxSourceSize", "5MB") { $0.images.limits.sourceSize == 5 << 20 },
        Case("maxSourceSide", "11") { $0.images.limits.sourceSide == 11 },
        Case("maxSourcePixels", "12") { $0.images.limits.sourcePixels == 12 },
        Case("maxResultSide", "16383") { $0.images.limits.resultSide == 16_383 },
        Case("maxResultPixels", "14") { $0.images.limits.resultPixels == 14 },
        Case("maxFrames", "1") { $0.images.limits.frames == 1 },
        Case("maxAnimationPixels", "16") { $0.images.limits.animationPixels == 16 },
        Case("maxOperators", "17") { $0.images.limits.operators == 17 },
        Case("maxTextLength", "18") { $0.images.limits.textLength == 18 },
    ]

    @Test("each setting goes where it belongs", arguments: cases)
    func read(setting: Case) async throws {
        #expect(setting.isRead(try await load(setting.name, setting.value)))
    }

    @Test(
        "values out of range are refused by name",
        arguments: [
            ("threads", "-1"), ("threads", "1025"), ("maxQueued", "100001"), ("memory", "0"), ("memory", "-1"),
            ("timeout", "0"), ("timeout", "3601"), ("maxWork", "0"), ("maxWork", "3600001"),
            ("workers", "0"), ("workers", "65"), ("workerMemory", "0"),
            ("cacheSize", "-1"), ("cacheSize", "many"), ("mezzanine", "-1"), ("mezzanine", "10001"),
            ("quality", "better"), ("quality", "Best"), ("keepCopyright", "maybe"), ("maxSourceSize", "0"),
            ("maxSourceSide", "0"), ("maxSourcePixels", "0"), ("maxResultSide", "16384"), ("maxResultSide", "0"),
            ("maxResultPixels", "268000001"), ("maxFrames", "0"), ("maxFrames", "10001"), ("maxAnimationPixels", "0"),
            ("maxOperators", "0"), ("maxOperators", "101"), ("maxTextLength", "0"), ("maxTextLength", "10001"),
        ]
    )
    func refused(name: String, value: String) async throws {
        let error = await #expect(throws: ExitError.self) { try await load(name, value) }
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains("images.\(name) is '\(value)'; allowed: ") == true)
    }
}
