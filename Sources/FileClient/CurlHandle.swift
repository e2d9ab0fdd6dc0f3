internal import CCurl

/// An easy handle of libcurl for one transfer, on one thread.
struct CurlHandle: ~Copyable {
    private let pointer: UnsafeMutableRawPointer

    private static let started: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(FileClientError) {
        guard CurlHandle.started, let pointer = curl_easy_init() else {
            throw FileClientError(status: 0, message: "libcurl cannot start")
        }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    /// Sends a request and returns its answer; blocks until then.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, …
    ///   - url: The whole address.
    ///   - headers: Lines such as `X-LC-Id: …`.
    ///   - payload: What the request carries.
    /// - Returns: Status and body, whatever the status.
    /// - Throws: ``FileClientError`` without a status if there is no answer.
    func perform(
        _ method: String,
        _ url: String,
        headers: [String] = [],
        payload: Payload = .nothing
    ) throws(FileClientError) -> Answer {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in headers { list = curl_slist_append(list, header) }
        let form = curl_mime_init(pointer)
        defer { curl_mime_free(form) }
        switch payload {
        case .nothing: break
        case .file(let path):
            let part = curl_mime_addpart(form)
            try check(curl_mime_name(part, "file"))
            guard curl_mime_filedata(part, path) == CURLE_OK else {
                throw FileClientError(status: 0, message: "\(path) is not a file that can be read")
            }
            try check(ccurl_set_pointer(pointer, CURLOPT_MIMEPOST, UnsafeMutableRawPointer(form)))
        case .json(let bytes):
            list = curl_slist_append(list, "Content-Type: application/json")
            try check(ccurl_set_long(pointer, CURLOPT_POSTFIELDSIZE, bytes.count))
            let copied = bytes.withUnsafeBytes { buffer in
                let start = UnsafeMutableRawPointer(mutating: buffer.baseAddress)
                return ccurl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, start)
            }
            try check(copied)
        }
        let answer = Answer()
        try restrict()
        try check(ccurl_set_string(pointer, CURLOPT_URL, url))
        try check(ccurl_set_string(pointer, CURLOPT_CUSTOMREQUEST, method))
        try check(ccurl_set_pointer(pointer, CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(list)))
        try check(ccurl_set_write_callback(pointer, collect))
        try check(ccurl_set_pointer(pointer, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque()))
        try withExtendedLifetime(answer) { () throws(FileClientError) in try check(curl_easy_perform(pointer)) }
        try check(ccurl_response_code(pointer, &answer.status))
        return answer
    }

    /// HTTP only, no redirects, and an end when the server or the network is gone.
    private func restrict() throws(FileClientError) {
        try check(ccurl_set_long(pointer, CURLOPT_NOSIGNAL, 1))
        try check(ccurl_set_string(pointer, CURLOPT_PROTOCOLS_STR, "http,https"))
        // A class called `..` is for the server to refuse, not a way up.
        try check(ccurl_set_long(pointer, CURLOPT_PATH_AS_IS, 1))
        try check(ccurl_set_long(pointer, CURLOPT_CONNECTTIMEOUT, 10))
        // Under one byte a second for a minute.
        try check(ccurl_set_long(pointer, CURLOPT_LOW_SPEED_LIMIT, 1))
        try check(ccurl_set_long(pointer, CURLOPT_LOW_SPEED_TIME, 60))
    }

    private func check(_ code: CURLcode) throws(FileClientError) {
        guard code == CURLE_OK else {
            throw FileClientError(status: 0, message: String(cString: curl_easy_strerror(code)))
        }
    }
}

/// What a request carries.
enum Payload: Sendable {
    case nothing
    /// A file, as the part `file` of a form; read from the disk while it is sent.
    case file(String)
    /// JSON, at least one byte.
    case json([UInt8])
}

/// A status and a body; used on the transfer's thread only.
final class Answer {
    /// The most bytes of a body that are kept: answers of the API are small.
    static let limit = 64 << 20
    var status = 0
    var body: [UInt8] = []
}

/// Called by libcurl with each piece of the body; a short count makes it stop.
private func collect(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let context else { return 0 }
    let answer = Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue()
    guard answer.body.count + size * count <= Answer.limit else { return 0 }
    answer.body.append(contentsOf: UnsafeRawBufferPointer(start: data, count: size * count))
    return size * count
}
