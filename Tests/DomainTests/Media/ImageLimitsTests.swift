import Testing

@testable import Domain

/// What is refused by its size alone (protocol/files 5.9).
@Suite struct ImageLimitsTests {
    @Test(
        "a source beyond a limit is refused, and the limit named",
        arguments: [
            (30_001, 1, "images.maxSourceSide"), (1, 30_001, "images.maxSourceSide"),
            (20_000, 20_000, "images.maxSourcePixels"), (.max, .max, "images.maxSourceSide"),
        ]
    )
    func source(width: Int, height: Int, setting: String) {
        let error = #expect(throws: ServiceError.self) {
            try ImageLimits().checkSource(ImageSize(width: width, height: height))
        }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("(\(setting))") == true)
    }

    @Test(
        "a result beyond a limit is refused, and the limit named",
        arguments: [
            (10_000, 1, "images.maxResultSide"), (1, 10_000, "images.maxResultSide"),
            (9999, 9999, "images.maxResultPixels"), (.max, .max, "images.maxResultSide"),
        ]
    )
    func result(width: Int, height: Int, setting: String) {
        let error = #expect(throws: ServiceError.self) {
            try ImageLimits().checkResult(ImageSize(width: width, height: height))
        }
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("(\(setting))") == true)
    }

    @Test("what meets a limit exactly is taken")
    func exact() throws {
        try ImageLimits().checkSource(ImageSize(width: 30_000, height: 5000))
        try ImageLimits().checkResult(ImageSize(width: 9999, height: 2500))
        try ImageLimits().checkResult(ImageSize(width: 5000, height: 5000))
    }
}
