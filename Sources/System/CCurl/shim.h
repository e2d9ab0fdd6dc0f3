#ifndef LCFILE_CCURL_H
#define LCFILE_CCURL_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, and Swift cannot call variadic functions: one shim for each type
// of argument.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

// Each shim sets a callback together with its context pointer, so that neither is set without the other.

typedef size_t (*ccurl_write_callback)(char *data, size_t size, size_t count, void *context);
typedef size_t (*ccurl_read_callback)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_write_callback(CURL *handle, ccurl_write_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback) : code;
}

static inline CURLcode ccurl_set_header_callback(CURL *handle, ccurl_write_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback) : code;
}

static inline CURLcode ccurl_set_read_callback(CURL *handle, ccurl_read_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READDATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READFUNCTION, callback) : code;
}

static inline CURLcode ccurl_set_seek_callback(CURL *handle, curl_seek_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback) : code;
}

static inline CURLcode ccurl_set_progress_callback(CURL *handle, curl_xferinfo_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback) : code;
}

static inline CURLcode ccurl_set_socket_callback(CURL *handle, curl_opensocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback) : code;
}

static inline CURLcode ccurl_response_code(CURL *handle, long *code) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, code);
}

/// The fields of the certificates that the server sent, as "name:value", for each certificate from its own on; NULL
/// without CURLOPT_CERTINFO or without TLS.
static inline const struct curl_certinfo *ccurl_certificates(CURL *handle) {
    struct curl_certinfo *certificates = NULL;
    CURLcode code = curl_easy_getinfo(handle, CURLINFO_CERTINFO, &certificates);
    return code == CURLE_OK ? certificates : NULL;
}

/// Returns the 4 or 16 bytes of the address to which libcurl wants to open an Internet Protocol stream; NULL for every
/// other kind of socket. The bytes belong to a struct of another type, which Swift cannot access.
static inline const unsigned char *ccurl_ip_address(const struct curl_sockaddr *target, size_t *count) {
    const unsigned char *start = (const unsigned char *)&target->addr;
    *count = 0;
    if (target->socktype != SOCK_STREAM) return NULL;
    if (target->family == AF_INET && target->addrlen >= sizeof(struct sockaddr_in)) {
        *count = sizeof(struct in_addr);
        return start + offsetof(struct sockaddr_in, sin_addr);
    }
    if (target->family == AF_INET6 && target->addrlen >= sizeof(struct sockaddr_in6)) {
        *count = sizeof(struct in6_addr);
        return start + offsetof(struct sockaddr_in6, sin6_addr);
    }
    return NULL;
}

/// socket(2) of the kind that libcurl requests, with close-on-exec.
static inline curl_socket_t ccurl_open_socket(const struct curl_sockaddr *target) {
    return socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

#endif
