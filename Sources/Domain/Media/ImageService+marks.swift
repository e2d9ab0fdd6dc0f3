extension ImageService {
    /// Opens the images of a plan's watermarks.
    ///
    /// - Throws: ``ServiceError/Code/badImageRequest`` if an image is not a file of this app, and errors of its source.
    func openMarks(of plan: ImagePlan, for requester: ImageRequester) async throws -> [FileKey: ImageInput] {
        var marks: [FileKey: ImageInput] = [:]
        for case .watermark(let watermark) in plan.steps {
            for key in watermark.keys where marks[key] == nil {
                do {
                    marks[key] = try await open(ImageOrigin(try await mark(key), in: files), for: requester)
                } catch let error as ServiceError where error.code == .notAnImage || error.code == .imageTooLarge {
                    // The error is in the URL, not in the source.
                    throw ServiceError(
                        .badImageRequest,
                        "Bad image request: the watermark's image cannot be used. \(error.message)",
                        cause: error.cause
                    )
                }
            }
        }
        return marks
    }

    /// The file of a watermark image.
    ///
    /// - Throws: ``ServiceError/Code/badImageRequest`` if it does not exist.
    func mark(_ key: FileKey) async throws -> ServedFile {
        guard let file = try await files.find(key) else {
            throw ImageRequest.refusal("there is no file '\(String(key.description.prefix(40)))' for the watermark")
        }
        return file
    }
}
