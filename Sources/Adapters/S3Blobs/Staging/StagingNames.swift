internal import Domain

/// The names of the objects of staged bytes, notes and servers in a bucket.
struct StagingNames: Sendable {
    /// What all names begin with, with a slash at its end.
    let root: String

    /// The bytes of an upload, or of one request of a server.
    enum Folder: Hashable, Sendable, CustomStringConvertible {
        case upload(ObjectID)
        case draft(server: String, number: String)

        /// Parses a folder's name; `nil` if it is none.
        init?(_ text: some StringProtocol) {
            let fields = String(text).split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            if fields.count == 3, fields[0] == "draft" {
                self = .draft(server: fields[1], number: fields[2])
            } else if fields.count == 1, let upload = ObjectID(fields[0]) {
                self = .upload(upload)
            } else {
                return nil
            }
        }

        var description: String {
            switch self {
            case .upload(let id): "\(id)"
            case .draft(let server, let number): "draft-\(server)-\(number)"
            }
        }

        var isDraft: Bool {
            if case .draft = self { true } else { false }
        }
    }

    /// A note of a commit: who made it, and where the bytes are.
    struct Note: Hashable, Sendable {
        let commit: CommitNote
        let server: String
        let folder: Folder
    }

    /// What the names of all segments of uploads begin with.
    var uploads: String { "\(root)uploads/" }
    /// What the names of all segments of single requests begin with.
    var drafts: String { "\(root)drafts/" }
    /// What the names of all notes begin with.
    var notes: String { "\(root)commits/" }
    /// What the names of the heartbeats of all servers begin with.
    var servers: String { "\(root)servers/" }

    /// What the names of the segments in a folder begin with.
    func segments(in folder: Folder) -> String { "\(folder.isDraft ? drafts : uploads)\(folder)/" }

    /// The folder of a segment; `nil` for other names.
    func folder(ofSegment name: String) -> Folder? {
        for prefix in [uploads, drafts] where name.hasPrefix(prefix) {
            return name.dropFirst(prefix.count).split(separator: "/", maxSplits: 1).first.flatMap { Folder($0) }
        }
        return nil
    }

    /// The name of a server's heartbeat.
    func server(_ id: String) -> String { servers + id }

    /// What the names of the notes of a commit begin with, by whichever server.
    func prefix(of commit: CommitNote) -> String {
        "\(notes)\(commit.file).\(commit.blob)\(commit.isDraft ? ".draft" : "")~"
    }

    /// The name of a note: `<file>.<blob>~<server>~<folder>`, with `.draft` behind the blob of bytes without a name.
    func name(of note: Note) -> String { "\(prefix(of: note.commit))\(note.server)~\(note.folder)" }

    /// Parses the name of a note; `nil` if it is none.
    func note(named name: String) -> Note? {
        guard name.hasPrefix(notes) else { return nil }
        let fields = name.dropFirst(notes.count).split(separator: "~", omittingEmptySubsequences: false)
        guard fields.count == 3, let folder = Folder(fields[2]) else { return nil }
        let parts = fields[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 && parts[2] == "draft", let file = ObjectID(String(parts[0])),
            let blob = BlobName(parts[1])
        else { return nil }
        let commit = CommitNote(file: file, blob: blob, isDraft: parts.count == 3)
        return Note(commit: commit, server: String(fields[1]), folder: folder)
    }
}
