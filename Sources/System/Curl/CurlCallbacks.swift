/// The callbacks of libcurl during a transfer, all on the transfer's thread.
package struct CurlCallbacks {
    /// Gets the next bytes of a body, valid during the call only, and the status of their answer; `false` ends the
    /// transfer.
    package let receive: (_ bytes: UnsafeRawBufferPointer, _ status: Int) -> Bool
    /// Asked before a connection is made to an address of 4 or 16 bytes, that of each redirect as well.
    ///
    /// If nothing is given here, libcurl connects to every address; else only those that get `true`, and to nothing but
    /// streams of the Internet Protocol.
    package let isAllowed: ((_ address: [UInt8]) -> Bool)?
    /// Asked about once a second, more often while bytes come, with how many of the current answer's body came; `false`
    /// ends the transfer.
    package let goesOn: ((_ received: Int64) -> Bool)?

    /// Takes the one callback that every transfer needs, and those that some do.
    package init(
        receive: @escaping (_ bytes: UnsafeRawBufferPointer, _ status: Int) -> Bool,
        isAllowed: ((_ address: [UInt8]) -> Bool)? = nil,
        goesOn: ((_ received: Int64) -> Bool)? = nil
    ) {
        self.receive = receive
        self.isAllowed = isAllowed
        self.goesOn = goesOn
    }
}
