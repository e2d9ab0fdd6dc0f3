import Domain

/// The context in which the tests parse operators: default limits, a source of 48 213 bytes, files below `own/`.
let imageParsing = ImageParsingContext(
    limits: ImageLimits(),
    ownKey: { $0.hasPrefix("own/") ? FileKey($0) : nil },
    fileSize: 48_213
)

extension ImageRequest {
    /// Reads the query of a URL.
    static func read(_ query: String) throws -> ImageRequest? {
        try ImageRequest(query: query, context: imageParsing)
    }

    /// The one operator of a request that has no other.
    static func only(_ query: String) throws -> ImageOperator? {
        let operators = try read(query)?.operators ?? []
        return operators.count == 1 ? operators[0] : nil
    }
}

extension String {
    /// In Base64 for URLs.
    var inBase64: String { utf8.base64URL }
}
