internal import CCurl

/// An option of libcurl and the kind of value it takes, so that another kind does not compile.
package struct CurlOption<Value> {
    let code: CURLoption
}

extension CurlOption<Int> {
    /// Seconds for all of it, redirects too.
    package static var timeout: Self { Self(code: CURLOPT_TIMEOUT) }
    /// Seconds for making each connection.
    package static var connectTimeout: Self { Self(code: CURLOPT_CONNECTTIMEOUT) }
    /// Bytes a second below which a transfer is slow; 0 for none.
    package static var lowSpeedLimit: Self { Self(code: CURLOPT_LOW_SPEED_LIMIT) }
    /// Seconds that a transfer may be slow.
    package static var lowSpeedTime: Self { Self(code: CURLOPT_LOW_SPEED_TIME) }
    /// How many redirects are followed.
    package static var maxRedirects: Self { Self(code: CURLOPT_MAXREDIRS) }
}

extension CurlOption<Int64> {
    /// The most bytes that an answer may announce.
    package static var maxFileSize: Self { Self(code: CURLOPT_MAXFILESIZE_LARGE) }
}

extension CurlOption<Bool> {
    /// Whether redirects are followed.
    package static var followsRedirects: Self { Self(code: CURLOPT_FOLLOWLOCATION) }
    /// Whether `..` in a path is sent as it is.
    package static var pathAsIs: Self { Self(code: CURLOPT_PATH_AS_IS) }
    /// Whether bytes that are no HTTP count as an answer.
    package static var allowsHTTP09: Self { Self(code: CURLOPT_HTTP09_ALLOWED) }
    /// Whether a URL with a user name, also that of a redirect, is refused.
    package static var refusesUserNames: Self { Self(code: CURLOPT_DISALLOW_USERNAME_IN_URL) }
    /// Whether passwords are looked up in the home folder's `.netrc`; off by default.
    package static var readsNetrc: Self { Self(code: CURLOPT_NETRC) }
    /// Whether signals stay untouched: they belong to the process, not to a thread.
    static var noSignal: Self { Self(code: CURLOPT_NOSIGNAL) }
}

extension CurlOption<String> {
    /// The address.
    package static var url: Self { Self(code: CURLOPT_URL) }
    /// The request's method, in capitals.
    package static var method: Self { Self(code: CURLOPT_CUSTOMREQUEST) }
    /// The proxy; with an empty text there is none, whatever the environment says.
    package static var proxy: Self { Self(code: CURLOPT_PROXY) }
    /// The user agent.
    package static var userAgent: Self { Self(code: CURLOPT_USERAGENT) }
    /// Schemes that redirects may lead to.
    package static var redirectProtocols: Self { Self(code: CURLOPT_REDIR_PROTOCOLS_STR) }
    /// Schemes that are spoken at all.
    static var protocols: Self { Self(code: CURLOPT_PROTOCOLS_STR) }
}
