/// The uploads that a server left when it ended.
struct LeftUploads: Sendable {
    /// Those to finish on their last byte (tus) whose rows record all bytes, or that wait for pieces.
    ///
    /// Incomplete uploads are not included, because their clients continue them.
    var complete: [ObjectID] = []
    /// Final ones whose creation was interrupted.
    var finals: [ObjectID] = []
    /// The ids of damaged rows of uploads and parts, as far as they can be read; such an upload is in no other list.
    var damaged: [String] = []
}

extension UploadRecords {
    /// The uploads to finish on their last byte (tus) that a server left unfinished when it ended.
    ///
    /// A damaged row keeps its upload from being finished, and nothing else.
    func leftUnfinished() async throws -> LeftUploads {
        do {
            return try await store.read { reader in
                try LeftUploads(of: reader.unfinishedUploads()) { upload in
                    try reader.find(.parts(of: upload)).compactMap(StoredPart.init(stored:))
                }
            }
        } catch let error where !(error is CancellationError) {
            return try await store.read { reader in
                var damaged: [String] = []
                let uploads = try reader.intact(.upload, &damaged).compactMap(StoredUpload.init(stored:))
                let parts = try reader.intact(.uploadPart, &damaged).compactMap(StoredPart.init(stored:))
                let byUpload = Dictionary(grouping: parts, by: \.upload)
                var left = try LeftUploads(of: uploads.filter { !$0.isFinished }) { byUpload[$0] ?? [] }
                left.damaged = damaged
                return left
            }
        }
    }

    /// Computes the counts of shares again; called at the start, because databases of earlier versions have no counts.
    ///
    /// A damaged row of a count is replaced, and a damaged upload is not counted.
    func recountShares() async throws {
        do {
            try await store.write { [clock] writer in
                let uploads = try writer.unfinishedUploads() + writer.finishedPieces()
                let known = try writer.rows(ObjectQuery(.usage, page: .all)).map(\.id)
                try writer.recountShares(of: uploads, known: known, at: clock())
            }
        } catch let error where !(error is CancellationError) {
            try await store.write { [clock] writer in
                var damaged: [String] = []
                let uploads = try writer.intact(.upload, &damaged).compactMap(StoredUpload.init(stored:))
                damaged = []
                let shares = try writer.intact(.usage, &damaged).map(\.id) + damaged.compactMap { ObjectID($0) }
                try writer.delete(shares.filter { $0 != Usage.id }, in: .usage)
                let counted = uploads.filter { !$0.isFinished || $0.kind == .partial }
                try writer.recountShares(of: counted, known: [], at: clock())
            }
        }
    }
}

extension LeftUploads {
    fileprivate init(of uploads: [StoredUpload], parts: (ObjectID) throws -> [StoredPart]) throws {
        for upload in uploads where upload.finishesOnLastByte {
            if case .final = upload.kind {
                if upload.isWaiting { complete.append(upload.id) } else { finals.append(upload.id) }
            }
            guard upload.isStarted, let size = upload.size else { continue }
            let parts = try parts(upload.id)
            if parts.count == 1, parts[0].part?.size == size { complete.append(upload.id) }
        }
    }
}

extension ReadTransaction {
    /// The objects of a class whose rows are what was written; adds the ids of the others to a list.
    fileprivate func intact(_ name: ClassName, _ damaged: inout [String]) throws -> [StoredObject] {
        try intactRows(in: name) { damaged.append($0) }.map { try $0.object() }
    }
}
