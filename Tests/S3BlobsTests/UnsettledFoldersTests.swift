import Domain
import Testing

@testable import S3Blobs

@Suite struct UnsettledFoldersTests {
    @Test("the undecided commits for an id are those of its upload and of single requests, each with its own bytes")
    func notes() throws {
        let folders = UnsettledFolders()
        let (id, other) = (ObjectIDGenerator().next(), ObjectIDGenerator().next())
        let blob = BlobName(try S3Fixture.key())
        let drafts = ["1", "2"].map { StagingNames.Folder.draft(server: "a", number: $0) }
        for folder in drafts + [.upload(id), .upload(other)] {
            let file = folder == .upload(other) ? other : id
            let commit = CommitNote(file: file, blob: blob, isDraft: folder.isDraft)
            folders.keep(StagingNames.Note(commit: commit, server: "a", folder: folder))
        }
        #expect(folders.notes(of: id).map(\.file) == [id, id, id])
        #expect(folders.notes(of: id).count(where: \.isDraft) == 2)
        #expect(folders.notes(of: other) == [CommitNote(file: other, blob: blob, isDraft: false)])
    }
}
