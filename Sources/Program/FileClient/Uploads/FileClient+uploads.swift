internal import FoundationEssentials

/// Uploads; every call throws ``FileClientError``, or `CancellationError` if its task is cancelled.
extension FileClient {
    /// Uploads a file; on return it is on the server's disk.
    ///
    /// A file of at least ``FileClientOptions/resumableSize`` bytes, or with a key of its own, is sent by a resumable
    /// upload, which continues where a connection broke. A smaller one is sent in one request. If that request breaks
    /// off, the file is sent again resumably; the server can then have stored it twice, if only its first answer was
    /// lost. A file with an objectId of its own is never stored twice.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - description: What the server stores about it; `nil` for the last path component as name.
    ///   - location: An unfinished upload of the same file with the same description, from an earlier call of
    ///     `created`; an upload that the server does not know any more begins again. In the end the hash of all bytes is
    ///     compared, because the file can have changed between the calls.
    ///   - created: Called with the URL of a resumable upload before its first byte is sent. Who stores it can continue
    ///     the upload later, for a week.
    ///   - progress: Called with the number of bytes that were sent, many times a second, on threads of the client;
    ///     the number decreases if bytes have to be sent again.
    /// - Returns: The file's record.
    /// - Throws: ``FileClientError``, with the server's message if it refused the file; of kind `damaged` if a continued
    ///   upload has stored a file with other bytes.
    public func upload(
        _ path: String,
        as description: UploadDescription? = nil,
        continuing location: String? = nil,
        created: (@Sendable (_ location: String) -> Void)? = nil,
        progress: (@Sendable (_ sent: Int64) -> Void)? = nil
    ) async throws -> FileRecord {
        let file = try OpenFile(path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let description = description ?? UploadDescription(name: name)
        if let id = description.objectId {
            return try await uploadOnce(file, description, id, continuing: location, created, progress)
        }
        if file.size < options.resumableSize, description.key == nil, location == nil {
            return try await uploadInOneRequest(file.body, description, progress)
        }
        return try await uploadResumably(file.body, description, continuing: location, created, progress)
    }

    /// Uploads the bytes of a descriptor up to its end, such as those of a pipe; on return they are on the server's
    /// disk.
    ///
    /// Holds two pieces of ``FileClientOptions/streamPieceSize`` in memory. A broken connection is continued, but the
    /// upload cannot be continued by another call.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading; not closed.
    ///   - description: What the server stores about the file.
    ///   - progress: Called with the number of bytes that were sent, as for files.
    /// - Returns: The file's record.
    /// - Throws: ``FileClientError``.
    public func upload(
        descriptor: CInt,
        as description: UploadDescription,
        progress: (@Sendable (_ sent: Int64) -> Void)? = nil
    ) async throws -> FileRecord {
        let reader = StreamReader(descriptor: descriptor, threads: threads)
        var piece = try await reader.next(options.streamPieceSize)
        guard piece.count == options.streamPieceSize else {
            guard description.key == nil else {
                return try await uploadResumably(RequestBody(piece), description, continuing: nil, nil, progress)
            }
            return try await uploadInOneRequest(RequestBody(piece), description, progress)
        }
        let (upload, start) = try await TusUpload.create(size: nil, description, on: self)
        var state = start
        while state.file == nil {
            let next = try await reader.next(options.streamPieceSize)
            let pieceStart = state.offset
            let end = pieceStart + Int64(piece.count)
            let bytes = RequestBody(piece)
            let body = RequestBody(size: end) { buffer, offset in try bytes.read(buffer, offset - pieceStart) }
            let length = next.isEmpty ? end : nil
            state = try await send(body, from: state, upTo: end, length: length, to: upload, progress)
            if next.isEmpty { break }
            piece = next
        }
        return try await record(of: state, named: description.name)
    }

    private func uploadInOneRequest(
        _ file: RequestBody,
        _ description: UploadDescription,
        _ progress: (@Sendable (Int64) -> Void)?
    ) async throws -> FileRecord {
        let form = UploadForm(file, description)
        var request = request("POST", "/1.1/files", headers: ["Content-Type: \(form.contentType)"])
        request.body = form.body
        if let progress {
            request.sent = { sent in progress(min(file.size, max(0, sent - form.headSize))) }
        }
        do {
            return try decode(await send(request))
        } catch let error as FileClientError
            where error.kind == .interrupted || [500, 502, 504].contains(error.status)
        {
            try await waitToRetry(after: error, failures: 1)
            return try await uploadResumably(file, description, continuing: nil, nil, progress)
        }
    }

    func uploadResumably(
        _ file: RequestBody,
        _ description: UploadDescription,
        continuing location: String?,
        _ created: (@Sendable (String) -> Void)?,
        _ progress: (@Sendable (Int64) -> Void)?
    ) async throws -> FileRecord {
        var known: (upload: TusUpload, state: TusUpload.State)?
        if let location { known = try await unfinished(location, size: file.size) }
        if known == nil {
            known = try await TusUpload.create(size: file.size, description, on: self)
            if let known { created?(known.upload.location) }
        }
        guard let (upload, start) = known else { throw FileClientError(.local, "the upload was not created") }
        let isContinued = start.offset > 0 || start.file != nil
        var state = start
        while state.file == nil, state.offset < file.size {
            progress?(state.offset)
            let end = min(file.size, state.offset + options.pieceSize)
            state = try await send(file, from: state, upTo: end, length: nil, to: upload, progress)
        }
        let record = try await record(of: state, named: description.name)
        if isContinued { try await requireBytes(of: file, in: record) }
        return record
    }

    /// The upload of an earlier call; `nil` if the server does not know it or its size differs.
    private func unfinished(_ location: String, size: Int64) async throws -> (TusUpload, TusUpload.State)? {
        let upload = try TusUpload(location, of: self)
        do {
            let state = try await upload.state()
            return state.length == size ? (upload, state) : nil
        } catch let error as FileClientError where error.status == 404 {
            return nil
        }
    }

    /// Sends the bytes of a body from a state's offset up to an end, continuing where a connection breaks.
    private func send(
        _ body: RequestBody,
        from start: TusUpload.State,
        upTo end: Int64,
        length: Int64?,
        to upload: TusUpload,
        _ progress: (@Sendable (Int64) -> Void)?
    ) async throws -> TusUpload.State {
        var state = start
        var failures = 0
        while state.offset < end, state.file == nil {
            let offset = state.offset
            do {
                state = try await upload.append(body.slice(offset..<end), at: offset, length: length) { sent in
                    progress?(offset + sent)
                }
                failures = 0
            } catch let error as FileClientError {
                failures += 1
                // 409: the server has another offset than this client, or still reads an earlier connection.
                let isConflict = error.status == 409
                let cause = isConflict ? FileClientError(.interrupted, error.message) : error
                try await waitToRetry(after: cause, failures: failures)
                state = try await upload.state()
                if state.offset > offset { failures = 0 }
            }
        }
        return state
    }

    private func record(of state: TusUpload.State, named name: String) async throws -> FileRecord {
        guard let file = state.file else {
            throw FileClientError(.unexpectedAnswer, "the server has all bytes but did not create the file")
        }
        do {
            return try await self.file(file.objectId)
        } catch let error as FileClientError where [403, 404].contains(error.status) {
            // A caller who is allowed to create files is not always allowed to read them.
            var known = file
            known.fields["name"] = .string(name)
            return known
        }
    }
}
