/// The faults of the storage, the most severe last.
package enum StorageFault: String, Sendable, CaseIterable {
    /// No free space or no quota is left.
    case full
    /// The file system refuses every write.
    case readOnly = "read-only"
    /// Reads or writes end with I/O errors.
    case failing
    /// Stored bytes are missing, or are not those that were stored.
    case damaged

    /// The message for the client.
    package var message: String {
        switch self {
        case .full: "The server's storage is full."
        case .readOnly: "The server's storage is read-only."
        case .failing: "The server's storage cannot be read or written."
        case .damaged: "The server's storage is damaged."
        }
    }

    /// The error of a request that encounters the fault.
    package func error(cause: (any Error)? = nil) -> ServiceError {
        ServiceError(code, message, cause: cause)
    }

    /// The fault that an error reports; `nil` if it reports none.
    package init?(_ error: any Error) {
        let fault = (error as? ServiceError).flatMap { error in
            StorageFault.allCases.first { $0.code == error.code }
        }
        guard let fault else { return nil }
        self = fault
    }

    private var code: ServiceError.Code {
        switch self {
        case .full: .storageFull
        case .readOnly: .storageReadOnly
        case .failing: .storageFailing
        case .damaged: .storageDamaged
        }
    }
}

/// The result of one inspection of the storage.
package struct StorageCondition: Sendable, Hashable {
    /// The detected faults.
    package var faults: Set<StorageFault> = []
    /// What was removed or replaced while the server ran; the storage counts as `failing` then.
    package var displaced: [StorageDisplacement] = []
    /// Whether requests that add data must be refused, because the remaining space is reserved for other requests.
    package var refusesGrowth = false
    /// Whether the reserve suffices for changes that add almost no data: ``StorageGrowth/small``.
    package var hasSpare = true
    /// Free space in bytes; 0 if the file system did not report it.
    package var free: Int64 = 0
    /// The size of the file system in bytes; 0 if it did not report it.
    package var size: Int64 = 0
    /// The part of the reserve that is held, in bytes; 0 while requests that add data are refused.
    package var reserve: Int64 = 0

    /// Creates a condition without faults.
    package init() {}
}

/// Checks the storage and manages its reserve; Server implements it.
package protocol StorageInspector: Sendable {
    /// Inspects the storage, and releases or restores the reserve accordingly; blocks for some system calls.
    ///
    /// - Parameter suspicion: The fault that a request just encountered. The file system does not report every fault:
    ///   quotas, for example.
    /// - Returns: The condition.
    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition
}
