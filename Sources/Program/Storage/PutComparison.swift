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
    ///   - missing: The files whose blobs are missing: what puts of them left can be all that there is of the bytes.
    ///   - summary: Counts the findings.
    /// - Throws: Errors of the store.
    func report(_ puts: [UnendedPut], besides missing: [FileEntry], _ summary: inout CheckSummary) throws {
        let old = puts.filter { put in
            put.isOld && !missing.contains { BlobName($0.key) == put.blob && PutName.isPut(put.file, of: $0.id) }
        }
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
