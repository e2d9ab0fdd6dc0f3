import Support
import Testing

@testable import Domain

extension SharedUploadFixture {
    /// An upload whose file server 1 is creating: it has noted the commit, and has put no blob.
    struct Stalled {
        let upload: StoredUpload
        let token: UploadToken
        let claims: [(number: Int, tag: String)]
        let task: Task<FileRecord, any Error>
        let gate: Gate
    }

    /// Lets server 1 begin to create a file, and wait with its gate.
    func stall(on a: UploadService) async throws -> Stalled {
        let texts = ["aaaa", "b"]
        let (upload, token) = try await begin(on: a)
        let claims = try await a.send(texts.enumerated().map { ($0 + 1, $1) }, token)
        let (begun, gate) = (Gate(), Gate())
        staging.afterNotes { server in
            guard server == 1 else { return }
            begun.open()
            await gate.wait()
        }
        let task = Task { [a] in try await a.finish(claims, token) }
        await begun.wait()
        return Stalled(upload: upload, token: token, claims: claims, task: task, gate: gate)
    }

    /// The lease of an upload that has one.
    func lease(of id: ObjectID) async throws -> SharedUploadState.Lease {
        try #require(try await store.read { try $0.upload(id)?.sharing?.lease })
    }

    func sweep(_ servers: [UploadService]) async throws {
        for server in servers { _ = try await server.sweep() }
    }
}
