/// A checked chain of image operators.
///
/// Requests with the same meaning have the same ``canonical`` string, however the URL was written; it is part of the
/// key of the derivative cache.
package struct ImageRequest: Sendable, Hashable {
    /// At least one operator; each processes the result of the previous one.
    package let operators: [ImageOperator]
    /// The canonical string of the request, mostly in the syntax of a URL; it is never parsed.
    package let canonical: String

    /// Creates a request from checked operators; URLs are parsed by the other initializers.
    package init(_ operators: [ImageOperator]) {
        self.operators = operators
        canonical = operators.map(\.canonical).joined(separator: "|")
    }

    /// The same request with a format for its result; `nil` if its last operator cannot name one.
    ///
    /// An operator that ignores errors cannot, because its format is lost if it fails.
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

    /// The request without information operators, which render no image.
    var withoutInformation: ImageRequest {
        operators.contains(where: \.isInformation) ? ImageRequest(operators.filter { !$0.isInformation }) : self
    }

    /// The files of its watermark images, in order.
    package var markKeys: [FileKey] {
        operators.flatMap { operation in
            if case .watermark(let watermark) = operation { watermark.keys } else { [FileKey]() }
        }
    }

    /// Whether the request names the format of its result.
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
    /// `imageslim`, with the compression level of PNGs: 0 to 10.
    case slim(level: Int)
    /// `imageInfo`.
    case info
    /// `exif`.
    case exif
    /// `imageAve`.
    case average
    /// `stat`, of any file (ObjC 8.2 and older).
    case stat

    /// Whether the response is JSON about an image instead of an image.
    package var isInformation: Bool {
        switch self {
        case .info, .exif, .average, .stat: true
        case .view, .mogr, .watermark, .slim: false
        }
    }

    /// Whether the image stays unchanged after a failure of this operator (`ignore-error/1`).
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
