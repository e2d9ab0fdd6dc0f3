/// Waiting for other servers that create the file of an upload.
extension UploadService {
    /// Repeats a transaction until no other server creates the file of an upload.
    ///
    /// - Parameters:
    ///   - id: The upload.
    ///   - waits: Whether to wait for a living server.
    ///   - body: Throws ``LeaseHeld``, unless the lease is the given one, whose holder has ended.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/overloaded`` after a while; errors of the body.
    func unlessLeased<Result>(
        _ id: ObjectID,
        waiting waits: Bool = true,
        _ body: (_ dead: SharedUploadState.Lease?) async throws -> Result
    ) async throws -> Result {
        let start = leases.timing.now()
        var dead: SharedUploadState.Lease?
        while true {
            do {
                return try await body(dead)
            } catch let held as LeaseHeld {
                dead = leases.isDead(held.lease, of: id) ? held.lease : nil
                if dead != nil { continue }
                guard waits, leases.timing.now() - start < leases.timing.bound else { throw UploadService.isBusy }
                try await leases.timing.wait(leases.timing.interval)
            }
        }
    }

    /// Renews a lease until the task is cancelled or the lease is lost.
    func renew(_ lease: FinishLease) async {
        while true {
            do {
                try await leases.timing.pause(leases.timing.renewal)
            } catch {
                return
            }
            // If the database fails, the next renewal can still be in time.
            if let isHeld = try? await records.renew(lease), !isHeld { return }
        }
    }

    static let isBusy = ServiceError(
        .overloaded,
        "Another server is creating the file of this upload; try again later."
    )

    /// Removes bytes that arrived after an upload had ended on another server.
    ///
    /// Until its row is gone or finished, they belong to the upload.
    func discardLate(_ upload: ActiveUpload) async {
        // Usually the upload goes on; that is known without a list of its bytes. After an error the next start of a server
        // removes them.
        guard (try? await needsStagedBytes(upload.id)) == false else { return }
        await discardStagedUnlessTaken(upload)
    }
}
