internal import CCurl
internal import Glibc

extension CurlHandle {
    /// Performs the transfer and returns when it has ended.
    ///
    /// - Parameter callbacks: Called on this thread, until this call returns or while the handle is freed.
    /// - Throws: ``CurlFailure`` if the transfer failed; a response with any status is a success.
    package mutating func perform(_ callbacks: CurlCallbacks) throws(CurlFailure) {
        let context = CallbackContext(callbacks, handle: pointer)
        // libcurl stores a pointer that it does not own. The handle owns the context and outlives this call, and its
        // deinit frees libcurl's side before the context.
        self.context = context
        let opaque = Unmanaged.passUnretained(context).toOpaque()
        try check(ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorBuffer))
        try set(.noSignal, true)
        try set(.protocols, protocols)
        if let headers { try check(ccurl_set_pointer(pointer, CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(headers))) }
        try check(ccurl_set_write_callback(pointer, receive, opaque))
        if callbacks.isAllowed != nil { try check(ccurl_set_socket_callback(pointer, openSocket, opaque)) }
        if callbacks.goesOn != nil {
            try check(ccurl_set_progress_callback(pointer, progress, opaque))
            try check(ccurl_set_long(pointer, CURLOPT_NOPROGRESS, 0))
        }
        if callbacks.receiveHead != nil { try check(ccurl_set_header_callback(pointer, receiveHead, opaque)) }
        if callbacks.send != nil {
            try check(ccurl_set_read_callback(pointer, send, opaque))
            try check(ccurl_set_seek_callback(pointer, seek, opaque))
        }
        try check(curl_easy_perform(pointer))
    }

    /// The status of the last response, which with redirects can be that of an earlier redirect; 0 without a response.
    package func status() throws(CurlFailure) -> Int {
        var status = 0
        try check(ccurl_response_code(pointer, &status))
        return status
    }

    /// A header field of the last response; `nil` if it is missing.
    package func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        // -1 selects the last response only; curl_easy_getinfo would also search the responses of redirects.
        guard curl_easy_header(pointer, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK, let header else {
            return nil
        }
        return String(cString: header.pointee.value)
    }

    /// A field of the certificate that the server sent, such as `Expire date`; `nil` without TLS, without
    /// ``CurlOption/readsCertificate`` or without the field.
    package func certificateField(_ name: String) -> String? {
        guard let certificates = ccurl_certificates(pointer), certificates.pointee.num_of_certs > 0,
            var entry = certificates.pointee.certinfo?[0]
        else { return nil }
        while true {
            let text = entry.pointee.data.map { String(cString: $0) } ?? ""
            if text.hasPrefix("\(name):") { return String(text.dropFirst(name.utf8.count + 1)) }
            guard let next = entry.pointee.next else { return nil }
            entry = next
        }
    }
}

/// The object that the C callbacks receive as their context pointer.
final class CallbackContext {
    let callbacks: CurlCallbacks
    let handle: UnsafeMutableRawPointer
    /// The number of bytes of the request's body that libcurl has read.
    var sent: Int64 = 0

    init(_ callbacks: CurlCallbacks, handle: UnsafeMutableRawPointer) {
        self.callbacks = callbacks
        self.handle = handle
    }

    static func from(_ pointer: UnsafeMutableRawPointer) -> CallbackContext {
        Unmanaged<CallbackContext>.fromOpaque(pointer).takeUnretainedValue()
    }
}

/// libcurl's write callback; returning fewer bytes than given stops the transfer.
private func receive(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let context else { return 0 }
    let known = CallbackContext.from(context)
    var status = 0
    guard ccurl_response_code(known.handle, &status) == CURLE_OK,
        known.callbacks.receive(UnsafeRawBufferPointer(start: data, count: size * count), status)
    else { return 0 }
    return size * count
}

/// libcurl's progress callback; any result but 0 stops the transfer.
private func progress(
    _ context: UnsafeMutableRawPointer?,
    _ downloadSize: curl_off_t,
    _ downloaded: curl_off_t,
    _ uploadSize: curl_off_t,
    _ uploaded: curl_off_t
) -> CInt {
    guard let context, let goesOn = CallbackContext.from(context).callbacks.goesOn else { return 1 }
    return goesOn(Int64(downloaded)) ? 0 : 1
}

/// libcurl's socket callback; without a socket libcurl tries the host's next address, and fails after the last one.
private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ target: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let target, purpose == CURLSOCKTYPE_IPCXN,
        let isAllowed = CallbackContext.from(context).callbacks.isAllowed
    else { return CURL_SOCKET_BAD }
    var count = 0
    guard let start = ccurl_ip_address(target, &count) else { return CURL_SOCKET_BAD }
    let address = [UInt8](UnsafeBufferPointer(start: start, count: count))
    return isAllowed(address) ? ccurl_open_socket(target) : CURL_SOCKET_BAD
}

/// libcurl's header callback, called with a complete line and its end.
private func receiveHead(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let context else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
    CallbackContext.from(context).callbacks.receiveHead?(String(decoding: line, as: UTF8.self))
    return size * count
}

/// libcurl's read callback.
private func send(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let aborted = Int(CURL_READFUNC_ABORT)
    guard let buffer, let context else { return aborted }
    let known = CallbackContext.from(context)
    let target = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    guard let filled = known.callbacks.send?(target, known.sent) else { return aborted }
    known.sent += Int64(filled)
    return filled
}

/// libcurl's seek callback, called when libcurl sends a body again on another connection.
private func seek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: CInt) -> CInt {
    guard let context, origin == SEEK_SET, offset >= 0 else { return CInt(CURL_SEEKFUNC_CANTSEEK) }
    CallbackContext.from(context).sent = Int64(offset)
    return CInt(CURL_SEEKFUNC_OK)
}
