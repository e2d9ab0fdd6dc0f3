internal import Domain

/// Finds the puts into a bucket that no server ends any more: their claims take their keys.
///
/// A server that ends leaves a note beside the claim, by which any server completes or undoes the put. Without a note
/// nothing does.
struct PutComparison {
    private let check: AppCheck

    init(_ check: AppCheck) {
        self.check = check
    }

    /// Reports the old ones of some puts.
    ///
    /// - Parameters:
    ///   - puts: The puts whose claims were listed.
    ///   - files: The files with records. What puts of them left can be all that there is of their bytes, and their keys
    ///     are taken anyway; the claims are removed with the files.
    ///   - summary: Counts the findings.
    /// - Throws: Errors of the store.
    func report(_ puts: [UnendedPut], besides files: [NamedFile], _ summary: inout CheckSummary) throws {
        let blobs = Set(puts.filter(\.isOld).map(\.blob))
        guard !blobs.isEmpty else { return }
        let owners = Dictionary(files.filter { blobs.contains($0.blob) }.map { ($0.blob, $0.entry.blob) }) { $1 }
        let old = puts.filter { put in put.isOld && !(owners[put.blob]?.isPut(under: put.file) ?? false) }
        guard !old.isEmpty else { return }
        // After the claims: the note of a put comes before its claim.
        let notes = try check.blobs.staged().notes
        for put in old {
            let isNoted = notes.contains { $0.blob == put.blob && $0.file == put.file }
            guard !isNoted, try check.blobs.isUnended(put) else { continue }
            var found = check.finding(
                .abandonedPut,
                "blobs/\(put.blob)",
                "has the claim of file \(put.file), whose put no server ends; its key is taken"
            )
            if check.options.repairs {
                found.repair = try check.blobs.abandon(put).map { "removed; its bytes moved to \($0)" } ?? "removed"
            }
            check.report(found, &summary)
        }
    }
}
