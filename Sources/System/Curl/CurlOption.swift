internal import CCurl

/// An option of libcurl with the type of its value, so that a value of another type does not compile.
package struct CurlOption<Value> {
    let code: CURLoption
}

extension CurlOption<Int> {
    /// Seconds for the whole transfer, including redirects.
    package static var timeout: Self { Self(code: CURLOPT_TIMEOUT) }
    /// Seconds for making each connection.
    package static var connectTimeout: Self { Self(code: CURLOPT_CONNECTTIMEOUT) }
    /// Seconds for each reply of a mail server; libcurl waits 120 seconds by default, also if ``timeout`` is longer.
    package static var replyTimeout: Self { Self(code: CURLOPT_SERVER_RESPONSE_TIMEOUT) }
    /// Bytes a second below which a transfer is slow; 0 for no limit.
    package static var lowSpeedLimit: Self { Self(code: CURLOPT_LOW_SPEED_LIMIT) }
    /// Seconds for which a transfer is allowed to be slow.
    package static var lowSpeedTime: Self { Self(code: CURLOPT_LOW_SPEED_TIME) }
    /// Bytes that are received at once at most.
    package static var receiveBufferSize: Self { Self(code: CURLOPT_BUFFERSIZE) }
    /// The maximum number of redirects.
    package static var maxRedirects: Self { Self(code: CURLOPT_MAXREDIRS) }
}

extension CurlOption<Int64> {
    /// The maximum size in bytes that a response can announce.
    package static var maxFileSize: Self { Self(code: CURLOPT_MAXFILESIZE_LARGE) }
}

extension CurlOption<Bool> {
    /// Whether redirects are followed.
    package static var followsRedirects: Self { Self(code: CURLOPT_FOLLOWLOCATION) }
    /// Whether `..` in a path is sent unchanged.
    package static var pathAsIs: Self { Self(code: CURLOPT_PATH_AS_IS) }
    /// Whether a response without an HTTP head (HTTP/0.9) is accepted.
    package static var allowsHTTP09: Self { Self(code: CURLOPT_HTTP09_ALLOWED) }
    /// Whether URLs with a user name are refused, including those of redirects.
    package static var refusesUserNames: Self { Self(code: CURLOPT_DISALLOW_USERNAME_IN_URL) }
    /// Whether passwords are read from the home folder's `.netrc`; off by default.
    package static var readsNetrc: Self { Self(code: CURLOPT_NETRC) }
    /// Whether the request is a HEAD, whose response has no body.
    package static var headOnly: Self { Self(code: CURLOPT_NOBODY) }
    /// Whether the connection is closed by the transfer itself, with its limits and callbacks.
    ///
    /// Otherwise libcurl closes it while it frees the handle, and waits up to 120 seconds for the reply to QUIT.
    package static var closesConnection: Self { Self(code: CURLOPT_FORBID_REUSE) }
    /// Whether the fields of the server's certificate are read (``CurlHandle/certificateField(_:)``).
    package static var readsCertificate: Self { Self(code: CURLOPT_CERTINFO) }
    /// Whether libcurl leaves signal handlers unchanged: they belong to the process, not to a thread.
    static var noSignal: Self { Self(code: CURLOPT_NOSIGNAL) }
}

extension CurlOption<String> {
    /// The URL of the request.
    package static var url: Self { Self(code: CURLOPT_URL) }
    /// The request's method, in capitals.
    package static var method: Self { Self(code: CURLOPT_CUSTOMREQUEST) }
    /// The proxy; an empty string disables proxies, also those of environment variables.
    package static var proxy: Self { Self(code: CURLOPT_PROXY) }
    /// The name with which libcurl logs in.
    package static var userName: Self { Self(code: CURLOPT_USERNAME) }
    /// The password with which libcurl logs in.
    package static var password: Self { Self(code: CURLOPT_PASSWORD) }
    /// The path of a file with the certificates of authorities in PEM.
    package static var caFile: Self { Self(code: CURLOPT_CAINFO) }
    /// The user agent.
    package static var userAgent: Self { Self(code: CURLOPT_USERAGENT) }
    /// The schemes that redirects are allowed to use.
    package static var redirectProtocols: Self { Self(code: CURLOPT_REDIR_PROTOCOLS_STR) }
    /// The schemes that requests are allowed to use.
    static var protocols: Self { Self(code: CURLOPT_PROTOCOLS_STR) }
}
