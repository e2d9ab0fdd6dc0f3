internal import Curl
internal import Domain

/// Decides where one transfer connects, and remembers the last refusal.
///
/// Used on the thread of its transfer.
final class ConnectionGuard {
    private let addresses: AddressGuard
    /// The last address that the guard refused; `nil` if it refused none.
    private(set) var refusedAddress: IPAddress?

    init(_ addresses: AddressGuard) {
        self.addresses = addresses
    }

    /// Whether the transfer can connect to an address of 4 or 16 bytes.
    func allows(_ bytes: [UInt8]) -> Bool {
        guard let address = IPAddress(bytes: bytes) else { return false }
        let isAllowed = addresses.allows(address)
        if !isAllowed { refusedAddress = address }
        return isAllowed
    }
}

extension CurlHandle {
    /// Sets what each guarded transfer has in common: no proxy, because the guard would check the address of the proxy
    /// only, no passwords from files or URLs, and no answers without a head.
    func restrict() throws(CurlFailure) {
        try set(.userAgent, "lcfile")
        try set(.proxy, "")
        try set(.readsNetrc, false)
        try set(.allowsHTTP09, false)
        try useHTTP1()
        try set(.refusesUserNames, true)
    }
}

/// The details of a failed transfer; for the log only.
struct FetchFailure: Error, CustomStringConvertible {
    let failure: CurlFailure
    /// The last address that the guard refused; `nil` if it refused none.
    let refusedAddress: IPAddress?

    var description: String {
        refusedAddress.map { "\(failure); the address guard refused \($0)" } ?? "\(failure)"
    }
}
