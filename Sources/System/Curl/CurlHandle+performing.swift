internal import CCurl

extension CurlHandle {
    /// Does the transfer and returns when it has ended.
    ///
    /// - Parameter callbacks: Called on this thread, before this returns or while the handle is freed.
    /// - Throws: ``CurlFailure`` if it did not end well; an answer of any status is well.
    package mutating func perform(_ callbacks: CurlCallbacks) throws(CurlFailure) {
        let context = CallbackContext(callbacks, handle: pointer)
        // libcurl gets a pointer that it does not own. The handle owns the context, this call keeps the handle, and the
        // handle's deinit frees libcurl's side before what it owns goes.
        self.context = context
        let opaque = Unmanaged.passUnretained(context).toOpaque()
        try check(ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorBuffer))
        try set(.noSignal, true)
        try set(.protocols, "http,https")
        if let headers { try check(ccurl_set_pointer(pointer, CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(headers))) }
        try check(ccurl_set_write_callback(pointer, receive, opaque))
        if callbacks.isAllowed != nil { try check(ccurl_set_socket_callback(pointer, openSocket, opaque)) }
        if callbacks.goesOn != nil {
            try check(ccurl_set_progress_callback(pointer, progress, opaque))
            try check(ccurl_set_long(pointer, CURLOPT_NOPROGRESS, 0))
        }
        try check(curl_easy_perform(pointer))
    }

    /// The status of the last answer, which of several redirects may be the first; 0 if there was none.
    package func status() throws(CurlFailure) -> Int {
        var status = 0
        try check(ccurl_response_code(pointer, &status))
        return status
    }

    /// A field of the last answer's head, or `nil` if it is not there.
    package func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        // -1: not the heads of the redirects before it, which curl_easy_getinfo would fall back to.
        guard curl_easy_header(pointer, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK, let header else {
            return nil
        }
        return String(cString: header.pointee.value)
    }
}

/// What C is given a pointer to.
final class CallbackContext {
    let callbacks: CurlCallbacks
    let handle: UnsafeMutableRawPointer

    init(_ callbacks: CurlCallbacks, handle: UnsafeMutableRawPointer) {
        self.callbacks = callbacks
        self.handle = handle
    }

    static func from(_ pointer: UnsafeMutableRawPointer) -> CallbackContext {
        Unmanaged<CallbackContext>.fromOpaque(pointer).takeUnretainedValue()
    }
}

/// A short count makes libcurl stop.
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

/// Anything but 0 makes libcurl stop.
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

/// Without a socket libcurl tries the host's next address, and ends when there is none.
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
