internal import Domain

/// Reading what the first bytes of a source contain.
extension VipsRenderer {
    /// What a source's bytes tell, or the format of those that a worker process reads, and whether they are a sequence
    /// of images.
    enum Reading<Result: Sendable> {
        case here(Result)
        case inWorker(SourceFormat, isSequence: Bool)
    }

    /// Reads the bytes of a source in this process, unless a worker process must.
    func reading<Result: Sendable>(
        _ source: ImageSource,
        _ read: @escaping @Sendable (SourceBytes, SourceFormat, JobWatch) throws -> Result
    ) async throws -> Reading<Result> {
        try await watched(with: .normal, until: nil) { watch in
            watch.begin(for: VipsRenderer.headerTime)
            return try source.withBytes { bytes in
                let head = bytes.read(at: 0, count: SourceSniffer.headLength)
                guard let format = head.withUnsafeBytes({ SourceSniffer.format(of: $0) }) else {
                    throw ServiceError.notAnImage(VipsError(operation: "sniff", detail: ""))
                }
                guard format.isReadByWorker else { return .here(try read(bytes, format, watch)) }
                let isSequence =
                    try format.isHEIF && HEIFFacts(ByteWindow(reading: bytes.read(at:count:))).isSequence
                return .inWorker(format, isSequence: isSequence)
            }
        }
    }
}
