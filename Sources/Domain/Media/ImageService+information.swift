extension ImageService {
    /// The JSON for a request for information about an image (protocol/files 5.5, 5.7).
    ///
    /// - Parameters:
    ///   - operation: The last operator.
    ///   - request: The whole chain.
    ///   - origin: The source.
    ///   - address: The client's network address, as in ``ImageRequester/address``.
    /// - Returns: The JSON; `nil` if EXIF is requested and the image has none.
    /// - Throws: The errors of rendering an image.
    package func information(
        _ operation: ImageOperator,
        _ request: ImageRequest,
        of origin: ImageOrigin,
        from address: String? = nil
    ) async throws -> JSONValue? {
        let requester = requester(of: origin, from: address)
        switch operation {
        case .info: return try await info(request, of: origin, for: requester)
        case .exif: return try await exif(of: origin, for: requester)
        case .average: return try await average(of: origin, for: requester)
        default: return stat(of: origin)
        }
    }

    private func info(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        for requester: ImageRequester
    ) async throws -> JSONValue {
        guard request.operators.count > 1, let derivative = try await derivative(request, of: origin, for: requester)
        else {
            return try await admission.admit(for: requester) { _ in
                try await open(origin, for: requester).header.json(size: origin.size)
            }
        }
        let source = try await fetch(try await ImageBytes(derivative.blob))
        let header = try await renderer.header(of: source, for: requester)
        return header.json(size: derivative.blob.size)
    }

    /// The image that a request renders; `nil` if it is the source.
    private func derivative(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        for requester: ImageRequester
    ) async throws -> StoredDerivative? {
        if let cached = try await cached(request, of: origin) { return cached }
        let result = try await result(request, of: origin, from: requester.address)
        guard case .derivative(let derivative) = result else { return nil }
        return derivative
    }

    private func exif(of origin: ImageOrigin, for requester: ImageRequester) async throws -> JSONValue? {
        let fields = try await admission.admit(for: requester) { _ in
            try await readingHeader(of: origin) {
                let source = try await fetch(try await ImageBytes(try await blob(of: origin)))
                return try await renderer.exif(of: source, for: requester)
            }
        }
        guard !fields.isEmpty else { return nil }
        return .object(
            fields.mapValues { .object(["type": .integer(Int64($0.type)), "val": .string($0.value)]) }
        )
    }

    private func average(of origin: ImageOrigin, for requester: ImageRequester) async throws -> JSONValue {
        try await admission.admit(for: requester) { permit in
            let image = try await open(origin, for: requester)
            let cost = try decodingCost(of: image.header)
            let copied = try await copied(image)
            let color = try await renderer.reserving(for: [image.header], cost.time, requester) { priority in
                try await permit.run(cost, atMost: priority) { priority in
                    try await renderer.average(
                        of: try await fetch(copied),
                        with: priority,
                        until: .now + settings.limits.time(for: cost.time)
                    )
                }
            }
            return .object(["RGB": .string("0x\(color)")])
        }
    }

    private func stat(of origin: ImageOrigin) -> JSONValue {
        .object([
            "fsize": .integer(origin.size), "hash": .string(origin.version),
            "mimeType": .string(origin.mediaType.description),
        ])
    }
}

extension ImageHeader {
    /// The JSON of Qiniu's `imageInfo`; width and height are those before orientation.
    fileprivate func json(size bytes: Int64) -> JSONValue {
        var members: [String: JSONValue] = [
            "size": .integer(bytes), "format": .string(format.rawValue), "width": .integer(Int64(size.width)),
            "height": .integer(Int64(size.height)), "colorModel": .string(colorModel),
        ]
        if frames > 1 || format == .gif { members["frameNumber"] = .integer(Int64(frames)) }
        if hasOrientation { members["orientation"] = .string(ImageHeader.orientations[orientation - 1]) }
        return .object(members)
    }

    /// EXIF's names of the orientations 1 to 8 (Exif 2.3, section 4.6.4).
    private static let orientations = [
        "Top-left", "Top-right", "Bottom-right", "Bottom-left", "Left-top", "Right-top", "Right-bottom", "Left-bottom",
    ]
}
