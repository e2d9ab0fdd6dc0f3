/// What to make of an image: a chain of checked operators, whatever the URL said.
///
/// Equal requests have equal ``canonical`` texts, however they were written: the cache of derivatives is keyed by them.
package struct ImageRequest: Sendable, Hashable {
    /// At least one; the result of each is what the next one begins with.
    package let operators: [ImageOperator]
    /// The canonical string of this request, mostly in the syntax of a URL; it is never parsed.
    package let canonical: String

    /// Takes checked operators; URLs go through the parsing initialiser.
    package init(_ operators: [ImageOperator]) {
        self.operators = operators
        canonical = operators.map(\.canonical).joined(separator: "|")
    }

    /// The same request with a format for its result, if its last operator can say one.
    ///
    /// One that ignores errors cannot: if it is passed over, its format is lost with it.
    package func naming(_ format: ImageFormat) -> ImageRequest? {
        guard let last = operators.last, !last.ignoresErrors else { return nil }
        switch last {
        case .view(var view):
            view.encoding.format = format
            return ImageRequest(operators.dropLast() + [.view(view)])
        case .mogr(var mogr):
            mogr.encoding.format = format
            return ImageRequest(operators.dropLast() + [.mogr(mogr)])
        default:
            return nil
        }
    }

    /// The request without operators for information, which make no image.
    var withoutInformation: ImageRequest {
        operators.contains(where: \.isInformation) ? ImageRequest(operators.filter { !$0.isInformation }) : self
    }

    /// The files that its watermarks lay over images, in their order.
    var markKeys: [FileKey] {
        operators.flatMap { operation in
            if case .watermark(let watermark) = operation { watermark.keys } else { [FileKey]() }
        }
    }

    /// Whether it says what its result is encoded as.
    package var namesFormat: Bool {
        operators.contains { operation in
            switch operation {
            case .view(let view): view.encoding.format != nil
            case .mogr(let mogr): mogr.encoding.format != nil
            default: false
            }
        }
    }
}

/// One operator of a chain (protocol/files 5.2 to 5.7).
package enum ImageOperator: Sendable, Hashable {
    /// `imageView` and `imageView2`.
    case view(ImageView)
    /// `imageMogr2`.
    case mogr(ImageMogr2)
    /// `watermark/1` to `watermark/4`.
    case watermark(Watermark)
    /// `imageslim`, with how hard PNGs are packed: 0 to 10.
    case slim(level: Int)
    /// `imageInfo`.
    case info
    /// `exif`.
    case exif
    /// `imageAve`.
    case average
    /// `stat`, of any file (ObjC 8.2 and older).
    case stat

    /// Whether the answer is JSON about an image instead of an image.
    package var isInformation: Bool {
        switch self {
        case .info, .exif, .average, .stat: true
        case .view, .mogr, .watermark, .slim: false
        }
    }

    /// Whether a failure of this operator leaves the image as it was (`ignore-error/1`).
    var ignoresErrors: Bool {
        switch self {
        case .view(let view): view.ignoresErrors
        case .mogr(let mogr): mogr.ignoresErrors
        default: false
        }
    }

    var canonical: String {
        switch self {
        case .view(let view): view.canonical
        case .mogr(let mogr): mogr.canonical
        case .watermark(let watermark): watermark.canonical
        case .slim(let level): "imageslim/zlevel/\(level)"
        case .info: "imageInfo"
        case .exif: "exif"
        case .average: "imageAve"
        case .stat: "stat"
        }
    }
}
