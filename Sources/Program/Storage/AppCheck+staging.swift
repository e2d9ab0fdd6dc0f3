internal import Domain

/// The folder of staged bytes.
extension AppCheck {
    /// Finds what no request and no start of a server will use.
    ///
    /// While a server can run, bytes count only if they were not written to for a day.
    func checkStaging(_ database: any CheckedDatabase, _ summary: inout CheckSummary) throws {
        observer.step("staged bytes")
        let staged = try blobs.staged()
        let known = try database.uploads(staged.uploads.map(\.id))
        let leftovers = staged.drafts + staged.uploads.filter { !known.contains($0.id) }.map(\.name)
        for name in leftovers.sorted() where options.repairs || staged.old.contains(name) {
            var found = finding(.stagedLeftover, "staging/\(name)", "belongs to no upload; the next start removes it")
            if options.repairs {
                found.repair = "moved to \(try blobs.moveToLostAndFound(staged: name))"
            }
            report(found, &summary)
        }
        for path in staged.foreign.sorted() {
            report(.foreignFile, path, "is no file of lcfile", &summary)
        }
    }
}
