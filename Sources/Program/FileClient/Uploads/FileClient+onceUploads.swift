internal import FoundationEssentials

/// Uploads of files with an objectId that the client gives, for imports.
extension FileClient {
    /// Uploads a file with an objectId; a small one in one request.
    ///
    /// A lost answer does no harm: the server refuses the objectId the second time, and the client finds its file with
    /// the same bytes. The server's refusal is thrown if the stored file has other bytes.
    func uploadOnce(
        _ file: OpenFile,
        _ description: UploadDescription,
        _ id: String,
        continuing location: String?,
        _ created: (@Sendable (String) -> Void)?,
        _ progress: (@Sendable (Int64) -> Void)?
    ) async throws -> FileRecord {
        do {
            guard file.size < options.resumableSize, location == nil else {
                return try await uploadResumably(file.body, description, continuing: location, created, progress)
            }
            let (_, state) = try await TusUpload.create(
                size: file.size,
                description,
                with: file.body,
                on: self,
                sent: progress
            )
            guard var record = state.file else {
                throw FileClientError(.unexpectedAnswer, "the server has all bytes but did not create the file")
            }
            record.fields["name"] = .string(description.name)
            return record
        } catch let error as FileClientError where error.code == FileClientError.duplicateValue {
            guard var record = try await stored(file, description, id) else { throw error }
            record.wasKnown = true
            return record
        }
    }

    /// The file that an earlier request of the same upload has stored; `nil` if there is another one, or none.
    private func stored(_ file: OpenFile, _ description: UploadDescription, _ id: String) async throws -> FileRecord? {
        do {
            let record = try await self.file(id)
            guard description.key == nil || record.key == description.key else { return nil }
            // The file can have changed since the earlier request without changing its size.
            return try await hasBytes(record, of: file) ? record : nil
        } catch let error as FileClientError where error.status == 404 {
            return nil
        }
    }
}

extension FileClientError {
    /// LeanCloud's code for a value, such as an objectId or a key, that another object has.
    public static let duplicateValue = 137
}
