import Domain
import Testing

@Suite struct ImageRequestTests {
    private func parse(_ query: String) throws -> ImageRequest? {
        try ImageRequest(query: query, limits: ImageLimits())
    }

    @Test(
        "what the SDKs write is understood",
        arguments: [
            ("imageView/2/w/200/h/100", ImageRequest(fit: .inside, width: 200, height: 100)),
            (
                "imageView/1/w/200/h/100/q/100/format/png",
                ImageRequest(fit: .cover, width: 200, height: 100, quality: 100, format: .png)
            ),
            ("imageView/2/w/200.0/h/99.6", ImageRequest(fit: .inside, width: 200, height: 100)),
            ("imageView/2/w/200", ImageRequest(fit: .inside, width: 200, height: nil)),
            ("imageView/2/w/0/h/50", ImageRequest(fit: .inside, width: nil, height: 50)),
            ("imageView/1/w/80", ImageRequest(fit: .cover, width: 80, height: 80)),
            ("imageView/2/w/200/format/JPG", ImageRequest(fit: .inside, width: 200, height: nil, format: .jpeg)),
            ("imageView/2/w/200/&e=1&token=x", ImageRequest(fit: .inside, width: 200, height: nil)),
            ("imageView%2F2%2Fw%2F200", ImageRequest(fit: .inside, width: 200, height: nil)),
        ]
    )
    func understood(query: String, request: ImageRequest) throws {
        #expect(try parse(query) == request)
    }

    @Test(
        "ordinary parameters mean the file itself",
        arguments: ["", "v=3", "attname=a.png", "t=1/2", "&imageView/2/w/1"]
    )
    func noWords(query: String) throws {
        #expect(try parse(query) == nil)
    }

    @Test(
        "a wrong word is refused and named",
        arguments: [
            ("imageMogr2/thumbnail/100x", "imageMogr2"), ("imageview/2/w/1", "imageview"), ("imageView", "mode"),
            ("imageView/3/w/1", "mode"), ("imageView/2", "w, h"), ("imageView/2/w/0", "w, h"),
            ("imageView/2/w", "'w' has no value"), ("imageView/2/x/1", "'x'"), ("imageView/2/w/1/w/2", "twice"),
            ("imageView/2/w/-1", "-1"), ("imageView/2/w/1e3", "1e3"), ("imageView/2/w/NaN", "NaN"),
            ("imageView/2/w/99999", "9999"), ("imageView/2/w/" + String(repeating: "9", count: 10_000), "9999"),
            ("imageView/2/w/0x10", "0x10"), ("imageView/2/w/1/q/0", "'q'"), ("imageView/2/w/1/q/101", "'q'"),
            ("imageView/2/w/1/format/bmp", "bmp"), ("imageView/1/w/9999/h/9999", "images.maxResultPixels"),
            ("%", "percent"), ("imageView//w/1", "mode"), ("imageView/2//1", "unknown word"),
        ]
    )
    func refused(query: String, named: String) {
        let error = #expect(throws: ServiceError.self) { try parse(query) }
        #expect(error?.code == .badImageRequest)
        #expect(error?.message.contains(named) == true)
        #expect((error?.message.count ?? 0) < 200)
    }
}

@Suite struct ImageLimitsTests {
    @Test(
        "a source's header is enough to refuse it",
        arguments: [
            (30_001, 1, 1), (1, 30_001, 1), (20_000, 20_000, 1), (3000, 3000, 100), (30_000, 30_000, .max),
        ]
    )
    func refused(width: Int, height: Int, pages: Int) {
        let error = #expect(throws: ServiceError.self) {
            try ImageLimits().checkSource(width: width, height: height, pages: pages)
        }
        #expect(error?.code == .imageTooLarge)
    }

    @Test("a large photograph is within the limits")
    func taken() throws {
        try ImageLimits().checkSource(width: 12_000, height: 9_000, pages: 1)
    }
}

@Suite struct AdmissionTests {
    @Test("jobs beyond the limit are refused at once, and the place is free again afterwards")
    func limit() async throws {
        let admission = Admission(limit: 1, refusal: "Too many.")
        try await admission.run {
            let error = await #expect(throws: ServiceError.self) { try await admission.run {} }
            #expect(error?.code == .overloaded)
        }
        await #expect(throws: CancellationError.self) { try await admission.run { throw CancellationError() } }
        try await admission.run {}
    }
}
