import Testing

@testable import Domain

/// What a plan refuses, and what `ignore-error` makes of it (docs/image-options.md, sections 8 and 10).
@Suite struct ImagePlanRefusalTests {
    private func refusal(
        _ operations: String,
        _ header: ImageHeader = photoHeader,
        limits: ImageLimits = ImageLimits()
    ) -> ServiceError? {
        #expect(throws: ServiceError.self) { try ImagePlan.of(operations, header, limits: limits) }
    }

    @Test("a source beyond a limit is refused before anything is planned")
    func source() {
        let error = refusal("imageView2/2/w/100", ImageHeader(format: .png, size: ImageSize(30_001, 1)))
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains("30001x1") == true)
        #expect(error?.message.contains("images.maxSourceSide") == true)
    }

    @Test(
        "a result beyond a limit is refused with its size, though a later step makes it small",
        arguments: [
            ("imageMogr2/thumbnail/9999x9999!/thumbnail/10x", "99980001 pixels", "images.maxResultPixels"),
            ("imageMogr2/thumbnail/10000x10!/thumbnail/10x", "10000x10", "images.maxResultSide"),
            ("imageMogr2/thumbnail/5000x5000!/rotate/45/crop/10x10", "50013184 pixels", "images.maxResultPixels"),
            ("imageMogr2/thumbnail/!1000p/thumbnail/!200p/thumbnail/10x", "48000000 pixels", "images.maxResultPixels"),
        ]
    )
    func result(operations: String, told: String, setting: String) {
        let error = refusal(operations)
        #expect(error?.code == .imageTooLarge)
        #expect(error?.message.contains(told) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("(\(setting))") == true)
    }

    @Test("a source that no step makes smaller is held to the limits of results")
    func unchanged() throws {
        let wide = ImageHeader(format: .png, size: ImageSize(12_000, 10))
        #expect(refusal("imageMogr2/format/webp", wide)?.message.contains("12000x10") == true)
        #expect(try ImagePlan.of("imageMogr2/crop/9999x", wide).size == ImageSize(9999, 10))
        #expect(try ImagePlan.of("imageView2/2/w/100", wide).size == ImageSize(100, 1))
    }

    @Test("a crop outside of the image is refused with both")
    func crop() {
        let error = refusal("imageMogr2/thumbnail/400x/crop/!10x10a400a0")
        #expect(error?.code == .badImageRequest)
        #expect(error?.message.contains("'!10x10a400a0'") == true)
        #expect(error?.message.contains("400x300") == true)
    }

    @Test("a text drawn larger than any result is refused")
    func text() throws {
        let operations = { (count: Int) in
            "watermark/2/text/\(String(repeating: "m", count: count).inBase64)/fontsize/20000"
        }
        // A character of 1000 pixels takes two million.
        #expect(try ImagePlan.of(operations(12)).steps.count == 1)
        let error = refusal(operations(13))
        #expect(error?.code == .badImageRequest)
        #expect(error?.message.contains("a text of 13 characters at fontsize 20000") == true)
        #expect(error?.message.contains("(images.maxResultPixels)") == true)
    }

    @Test("a text longer than any image is refused")
    func longText() throws {
        // A character of ten pixels.
        let operations = { (count: Int) in
            "watermark/2/text/\(String(repeating: "m", count: count).inBase64)/fontsize/200"
        }
        var limits = ImageLimits()
        limits.textLength = 4000
        let context = ImageParsingContext(limits: limits, ownKey: { _ in nil }, fileSize: 0)
        func plan(_ count: Int) throws -> ImagePlan {
            let request = try #require(try ImageRequest(query: operations(count), context: context))
            return try ImagePlan(request, of: photoHeader, limits: limits)
        }
        #expect(try plan(3200).steps.count == 1)
        let error = #expect(throws: ServiceError.self) { try plan(3201) }
        #expect(error?.code == .badImageRequest)
        #expect(error?.message.contains("longer than 32000 pixels") == true)
    }

    @Test("a chain has sixteen marks at most")
    func marks() throws {
        let mark = "/text/\("m".inBase64)"
        func chain(_ count: Int) -> String {
            "watermark/3" + String(repeating: mark, count: count - 1) + "|watermark/2\(mark)"
        }
        #expect(try ImagePlan.of(chain(16)).steps.count == 2)
        #expect(refusal(chain(17))?.message.contains("more than 16 marks") == true)
    }

    @Test("a chain becomes forty-eight steps at most")
    func steps() throws {
        func operation(_ count: Int) -> String {
            "imageMogr2" + String(repeating: "/blur/1x1", count: count)
        }
        #expect(try ImagePlan.of("\(operation(32))|\(operation(16))").steps.count == 48)
        let error = refusal("\(operation(32))|\(operation(17))")
        #expect(error?.code == .badImageRequest)
        #expect(error?.message.contains("49 steps; the limit is 48") == true)
    }

    @Test(
        "an operator that ignores errors leaves the image as it was before it",
        arguments: [
            "imageMogr2/crop/!10x10a900a0/ignore-error/1", "imageMogr2/rotate/90/crop/!10x10a900a0/ignore-error/1",
            "imageMogr2/format/gif/q/10/thumbnail/20000x1!/ignore-error/1",
            "imageMogr2/strip/background/\("red".inBase64)/crop/!1x1a900a0/ignore-error/1",
        ]
    )
    func ignored(failing: String) throws {
        let alone = try ImagePlan.of("imageView2/2/w/400|imageMogr2/blur/3x1")
        #expect(try ImagePlan.of("imageView2/2/w/400|\(failing)|imageMogr2/blur/3x1") == alone)
    }

    @Test("an operator that ignores errors and has none is carried out")
    func nothingToIgnore() throws {
        let plan = try ImagePlan.of("imageView2/2/w/400/ignore-error/1")
        #expect(plan.steps == [.scale(ImageSize(400, 300))])
    }

    @Test("only the operator that says so ignores errors")
    func notIgnored() {
        let error = refusal("imageView2/2/w/400/ignore-error/1|imageMogr2/crop/!10x10a900a0")
        #expect(error?.code == .badImageRequest)
    }

    // MARK: Sources larger than results

    private let large = ImageHeader(format: .jpeg, size: ImageSize(9000, 6000))

    @Test(
        "a source larger than results is the answer if nothing makes it smaller and the first operator ignores errors",
        arguments: [
            "imageView2/2/w/9000/ignore-error/1", "imageMogr2/format/webp/ignore-error/1",
            "imageMogr2/rotate/90/ignore-error/1", "imageMogr2/thumbnail/100x/crop/!10x10a9000a0/ignore-error/1",
            "imageView2/1/w/9000/h/5000/ignore-error/1", "imageMogr2/strip/ignore-error/1|imageslim",
        ]
    )
    func largeSource(operations: String) throws {
        #expect(try ImagePlan.of(operations, large).changesNothing)
    }

    @Test("a source larger than results is the answer, too, when it was only turned upright")
    func largeTurnedSource() throws {
        let operations = "imageMogr2/auto-orient/ignore-error/1|imageslim"
        #expect(try ImagePlan.of(operations, large.oriented(6)).changesNothing)
    }

    @Test(
        "a source larger than results is refused if the first operator ignores no errors",
        arguments: ["imageView2/2/w/9000", "imageMogr2/strip|imageMogr2/format/webp/ignore-error/1"]
    )
    func largeSourceNotIgnored(operations: String) {
        #expect(refusal(operations, large)?.code == .imageTooLarge)
    }

    @Test("a cut that is larger than results is refused if its operator ignores no errors, whatever the first one does")
    func largeCut() {
        let error = refusal("imageMogr2/strip/ignore-error/1|imageView2/1/w/9000/h/5000", large)
        #expect(error?.message.contains("45000000 pixels") == true)
    }

    @Test("a cut that is larger than results is no failure if an operator behind it makes it smaller")
    func smallerBehind() throws {
        let plan = try ImagePlan.of("imageView2/1/w/9000/h/5000/ignore-error/1|imageView2/2/w/90", large)
        #expect(plan.size == ImageSize(90, 50))
    }

    @Test("a source that something makes small is no answer, though the first operator ignores errors")
    func largeSourceMadeSmall() throws {
        #expect(try !ImagePlan.of("imageMogr2/strip/ignore-error/1|imageView2/2/w/90", large).changesNothing)
    }

    @Test("a source beyond a limit is refused whatever the operators ignore")
    func sourceNotIgnored() {
        let large = ImageHeader(format: .png, size: ImageSize(20_000, 20_000))
        #expect(refusal("imageView2/2/w/400/ignore-error/1", large)?.code == .imageTooLarge)
    }
}
