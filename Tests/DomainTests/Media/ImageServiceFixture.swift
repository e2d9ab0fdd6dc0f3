import NIOCore
import Support
import Testing

@testable import Domain

/// One app's images in memory, and what tests do with them in one line.
struct ImageServiceFixture {
    let blobs = MemoryBlobStore()
    let scratch = MemoryStagingArea()
    let store = MemoryObjectStore()
    let derivatives: WatchedDerivatives
    let renderer = StubRenderer()
    let files: FileService

    init(derivatives: WatchedDerivatives = WatchedDerivatives()) {
        self.derivatives = derivatives
        files = FileService(files: FileRecords(store), blobs: blobs)
    }

    /// A service that has just been started.
    func service(
        _ settings: ImageSettings = ImageSettings(),
        admission: ImageAdmission = ImageAdmission(workers: 2, memory: 512 << 20, queue: 16),
        served: ServedMemory = ServedMemory(limit: 64 << 20)
    ) -> ImageService {
        ImageService(
            settings: settings,
            app: AppID("app"),
            files: files,
            renderer: renderer,
            admission: admission,
            served: served,
            derivatives: derivatives,
            scratch: scratch
        )
    }

    /// A file, which the renderer takes for an image with this header.
    func file(
        _ text: String = "a photograph",
        as header: ImageHeader? = photoHeader,
        key: String = "own/photo.jpg"
    ) async throws -> ImageOrigin {
        if let header { renderer.know(text, as: header) }
        let key = try #require(FileKey(key))
        let record = FileRecord(
            id: ObjectIDGenerator().next(),
            key: key,
            name: try FileName("photo.jpg", limit: 255),
            mediaType: .jpeg,
            detectedType: nil,
            facts: try await blobs.store(text, as: key),
            metaData: [:],
            acl: nil,
            createdAt: .now()
        )
        try await FileRecords(store).insert([record])
        return ImageOrigin(ServedFile(record), in: files)
    }

    /// Deletes a file as an app does: its row first.
    func delete(_ origin: ImageOrigin) async throws {
        let key = try #require(FileKey(origin.source))
        let record = try #require(try await FileRecords(store).file(key: key))
        try await store.write { _ = try $0.delete(record.id, in: .file) }
        files.forget([key])
        try await blobs.remove(key)
        try await derivatives.remove(allOf: origin.source)
    }
}

extension ImageService {
    /// The text that operators are answered with; nothing for the source itself.
    func text(_ operations: String, of origin: ImageOrigin, automatic: [ImageFormat] = []) async throws -> String? {
        let request = try #require(try ImageRequest.read(operations))
        let cached = try await cached(request, of: origin, automatic: automatic)
        let answer =
            if let cached { ImageResult.derivative(cached) } else {
                try await result(request, of: origin, automatic: automatic)
            }
        guard case .derivative(let made) = answer else { return nil }
        return String(buffer: try await made.blob.read(at: 0, count: Int(made.blob.size)))
    }

    /// The information about an image that a URL requests.
    func answer(
        _ operations: String,
        of origin: ImageOrigin,
        from address: String? = nil
    ) async throws -> JSONValue? {
        let request = try #require(try ImageRequest.read(operations))
        return try await information(try #require(request.operators.last), request, of: origin, from: address)
    }
}
