/// The callbacks of libcurl during a transfer, all called on the transfer's thread.
package struct CurlCallbacks {
    /// Receives the next bytes of a body, valid during the call only, and the status of the response; `false` ends the
    /// transfer.
    package let receive: (_ bytes: UnsafeRawBufferPointer, _ status: Int) -> Bool
    /// Decides whether libcurl connects to an address of 4 or 16 bytes, including the addresses of redirects.
    ///
    /// With `nil`, libcurl connects to every address. Otherwise it connects only where the result is `true`, and opens
    /// only Internet Protocol streams.
    package let isAllowed: ((_ address: [UInt8]) -> Bool)?
    /// Called about once a second, and more often while bytes arrive, with the number of body bytes received for the
    /// current response; `false` ends the transfer.
    package let goesOn: ((_ received: Int64) -> Bool)?
    /// Called with each line of a response's head, without its end; the status line of each response comes first.
    package let receiveHead: ((_ line: String) -> Void)?
    /// Fills the buffer with the bytes of the request's body from an offset on; returns their number, `nil` to end the
    /// transfer.
    ///
    /// The offset decreases if libcurl sends the request again. Needs ``CurlHandle/setBodySize(_:)``.
    package let send: ((_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int?)?

    /// Creates the callbacks; only `receive` is required.
    package init(
        receive: @escaping (_ bytes: UnsafeRawBufferPointer, _ status: Int) -> Bool,
        isAllowed: ((_ address: [UInt8]) -> Bool)? = nil,
        goesOn: ((_ received: Int64) -> Bool)? = nil,
        receiveHead: ((_ line: String) -> Void)? = nil,
        send: ((_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int?)? = nil
    ) {
        self.receive = receive
        self.isAllowed = isAllowed
        self.goesOn = goesOn
        self.receiveHead = receiveHead
        self.send = send
    }
}
