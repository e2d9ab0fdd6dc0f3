/// A plan to which each operator adds steps.
struct PlanDraft {
    let header: ImageHeader
    let limits: ImageLimits
    var steps: [ImagePlan.Step] = []
    var size: ImageSize
    var largest: ImageSize
    var isUpright: Bool
    var hasAlpha: Bool
    var format: ImageFormat?
    var encoding = EncodingParameters()
    var isLegacy = false
    var strips = false
    var background = Color.white
    var sizeLimit: ImageMogr2.SizeLimit?
    var slimLevel: Int?
    var markCount = 0
    /// Whether an operator has named a format without animation.
    var isStill = false

    /// The maximum number of marks in a plan, because their images are open at the same time.
    private static let maxMarks = 16

    init(header: ImageHeader, limits: ImageLimits) {
        self.header = header
        self.limits = limits
        size = header.size
        largest = ImageSize(width: 1, height: 1)
        isUpright = header.orientation == 1
        hasAlpha = header.hasAlpha
    }

    mutating func apply(_ operation: ImageOperator) throws {
        switch operation {
        case .view(let view): try apply(view)
        case .mogr(let mogr): try apply(mogr)
        case .watermark(let watermark): try apply(watermark)
        case .slim(let level): slimLevel = level
        case .info, .exif, .average, .stat: break
        }
    }

    private mutating func apply(_ view: ImageView) throws {
        turnUpright()
        let (scaled, cut) = view.layout(of: size)
        if let cut, scaled != size, !limits.allowResult(scaled) {
            try cutFirst(cut, scaledBy: Double(scaled.width) / Double(size.width))
        } else {
            try scale(to: scaled)
            if let rectangle = cut?.rectangle(in: size) { crop(rectangle) }
        }
        isLegacy = view.isLegacy
        encode(view.encoding)
    }

    /// Crops a long, thin image first, and scales only the crop.
    private mutating func cutFirst(_ cut: Crop, scaledBy scale: Double) throws {
        let part = Crop(
            width: cut.width.map { ImageSize.side(Double($0) / scale) },
            height: cut.height.map { ImageSize.side(Double($0) / scale) },
            gravity: cut.gravity
        )
        if let rectangle = part.rectangle(in: size) { crop(rectangle) }
        try self.scale(to: ImageSize(width: cut.width ?? size.width, height: cut.height ?? size.height))
    }

    private mutating func apply(_ mogr: ImageMogr2) throws {
        if let color = mogr.background { background = color }
        for step in mogr.steps {
            switch step {
            case .autoOrient: turnUpright()
            case .thumbnail(let scaling): try scale(to: scaling.size(of: size))
            case .crop(let cut):
                guard let rectangle = cut.rectangle(in: size) else {
                    throw ImageRequest.refusal("crop '\(cut)' is outside of the image, which has \(size) pixels")
                }
                try limits.checkResult(rectangle.size)
                crop(rectangle)
            case .rotate(let degrees): try rotate(by: degrees)
            case .blur(let radius, let sigma): try work(.blur(radius: radius, sigma: sigma))
            case .sharpen: try work(.sharpen)
            }
        }
        isLegacy = false
        strips = strips || mogr.strips
        sizeLimit = mogr.sizeLimit ?? sizeLimit
        encode(mogr.encoding)
    }

    private mutating func apply(_ watermark: Watermark) throws {
        for mark in watermark.marks {
            switch mark.content {
            case .image: break
            case .text(let text), .tiles(let text, _, _, _): try text.check(against: limits)
            }
        }
        markCount += watermark.marks.count
        guard markCount <= PlanDraft.maxMarks else {
            throw ImageRequest.refusal("the chain has more than \(PlanDraft.maxMarks) marks")
        }
        try work(.watermark(watermark))
    }

    /// Adds a step that needs the whole image in memory.
    private mutating func work(_ step: ImagePlan.Step) throws {
        try limits.checkResult(size)
        grow(to: size)
        steps.append(step)
    }

    mutating func turnUpright() {
        guard !isUpright else { return }
        steps.append(.orient(header.orientation))
        if header.isTurned { size = size.turned }
        isUpright = true
    }

    private mutating func scale(to new: ImageSize) throws {
        guard new != size else { return }
        try limits.checkResult(new)
        steps.append(.scale(new))
        grow(to: new)
    }

    private mutating func crop(_ rectangle: ImageRectangle) {
        guard rectangle.size != size else { return }
        // A decoder that scales down rotates the scaled image; otherwise the whole image is rotated.
        if isTurnedWhole { grow(to: size) }
        steps.append(.crop(rectangle))
        size = rectangle.size
    }

    private var isTurnedWhole: Bool {
        for step in steps.reversed() {
            switch step {
            case .orient: return true
            case .flatten: continue
            default: return false
            }
        }
        return false
    }

    private mutating func rotate(by degrees: Int) throws {
        let turned = size.rotated(by: degrees)
        try limits.checkResult(turned)
        grow(to: size)
        steps.append(.rotate(degrees: degrees, background: background, size: turned))
        grow(to: turned)
    }

    private mutating func grow(to new: ImageSize) {
        size = new
        if new.area > largest.area { largest = new }
    }

    private mutating func encode(_ new: EncodingParameters) {
        if let newFormat = new.format {
            format = newFormat
            isStill = isStill || !newFormat.canBeAnimated
            if newFormat == .jpeg { flatten() }
        }
        if let quality = new.quality {
            encoding.quality = quality
            encoding.isQualityForced = new.isQualityForced
        }
        encoding.isProgressive = encoding.isProgressive || new.isProgressive
        encoding.colors = new.colors ?? encoding.colors
    }

    mutating func flatten() {
        guard hasAlpha else { return }
        steps.append(.flatten(background))
        hasAlpha = false
    }
}

extension Watermark.TextMark {
    /// Refuses a text whose rendering would exceed the limit on results.
    fileprivate func check(against limits: ImageLimits) throws {
        guard area <= limits.resultPixels, Double(text.unicodeScalars.count) * pixels <= 32_000 else {
            throw ImageRequest.refusal(
                "a text of \(text.unicodeScalars.count) characters at fontsize \(size) is longer than 32000 pixels, or has "
                    + "more than \(limits.resultPixels) (images.maxResultPixels)"
            )
        }
    }
}
