/// What is wrong with the storage beneath the server, the gravest last.
package enum StorageFault: String, Sendable, CaseIterable {
    /// No free space, or no quota left.
    case full
    /// The file system refuses every write.
    case readOnly = "read-only"
    /// Reads or writes end with I/O errors.
    case failing
    /// Stored bytes are missing, or are not those that were stored.
    case damaged

    /// The message for clients.
    package var message: String {
        switch self {
        case .full: "The server's storage is full."
        case .readOnly: "The server's storage is read-only."
        case .failing: "The server's storage cannot be read or written."
        case .damaged: "The server's storage is damaged."
        }
    }

    /// The error that a request ends with when it meets the fault.
    package func error(cause: (any Error)? = nil) -> ServiceError {
        ServiceError(code, message, cause: cause)
    }

    /// The fault that an error tells of, or `nil` if it tells of none.
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

/// How the storage was found by one inspection.
package struct StorageCondition: Sendable, Hashable {
    /// What is wrong with it; empty if nothing is.
    package var faults: Set<StorageFault> = []
    /// Whether requests that add data must be refused, because the free space is held for those that do not.
    package var refusesGrowth = false
    /// Whether there is enough of that space for what hardly adds anything: ``StorageGrowth/small``.
    package var hasSpare = true
    /// Free space in bytes; 0 if the file system did not tell.
    package var free: Int64 = 0

    /// A sound storage.
    package init() {}
}

/// Checks the storage and manages its reserve; Server implements it.
package protocol StorageInspector: Sendable {
    /// Looks at the storage now, and releases or takes the reserve to fit; blocks for some system calls.
    ///
    /// - Parameter suspicion: What a request met just now. The file system may not tell it: quotas are such a case.
    /// - Returns: What was found.
    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition
}
