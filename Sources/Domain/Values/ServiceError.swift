/// An error of a service: a code for programs, a message for people, a cause for the log.
///
/// The message is sent to the client unchanged: it names the field and the limit, and contains no path, no SQL and no
/// library message. HTTPAPI's `ErrorRenderer` maps each ``Code`` to an HTTP status and a LeanCloud code.
package struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// The kinds of errors; a new one breaks no `switch`, because callers only compare codes.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, for the log.
        package let description: String

        /// The request violates a rule; the message names the field.
        package static let badRequest = Code(description: "badRequest")
        /// A field is not JSON of the expected form.
        package static let malformedJSON = Code(description: "malformedJSON")
        /// A file name is empty, too long, a path, or contains control characters.
        package static let invalidFileName = Code(description: "invalidFileName")
        /// An ACL is malformed (123).
        package static let invalidACL = Code(description: "invalidACL")
        /// A class name is missing, malformed or reserved (103).
        package static let invalidClassName = Code(description: "invalidClassName")
        /// A field name is malformed or reserved (105).
        package static let invalidKey = Code(description: "invalidKey")
        /// A pointer has no class or no id (106).
        package static let malformedPointer = Code(description: "malformedPointer")
        /// A value has another type than its field (111).
        package static let typeMismatch = Code(description: "typeMismatch")
        /// A required field is missing (113).
        package static let missingField = Code(description: "missingField")
        /// An object exceeds the size limit (116).
        package static let objectTooLarge = Code(description: "objectTooLarge")
        /// A field is read-only for clients (117).
        package static let readOnlyField = Code(description: "readOnlyField")
        /// This server does not offer the operation (119).
        package static let notAvailable = Code(description: "notAvailable")
        /// The operation requires the master key (119).
        package static let masterKeyRequired = Code(description: "masterKeyRequired")
        /// A name inside a value contains `$` or `.` (121).
        package static let invalidInnerKey = Code(description: "invalidInnerKey")
        /// The request took longer than its limit (124).
        package static let timedOut = Code(description: "timedOut")
        /// A relation operation has no pointers, too many, or pointers of another class (128).
        package static let invalidRelation = Code(description: "invalidRelation")
        /// A unique field has this value in another object (137).
        package static let duplicateValue = Code(description: "duplicateValue")
        /// A CQL statement violates the grammar (300).
        package static let cqlSyntax = Code(description: "cqlSyntax")
        /// The coordinates of a point are out of range (302).
        package static let invalidGeoPoint = Code(description: "invalidGeoPoint")
        /// The condition of a conditional change is false (305).
        package static let noEffect = Code(description: "noEffect")
        /// A log-in or sign-up has no username (200).
        package static let missingUsername = Code(description: "missingUsername")
        /// A log-in or sign-up has no password (201).
        package static let missingPassword = Code(description: "missingPassword")
        /// Another user has this username (202).
        package static let usernameTaken = Code(description: "usernameTaken")
        /// Another user has this email address (203).
        package static let emailTaken = Code(description: "emailTaken")
        /// Another user has this phone number (214).
        package static let phoneTaken = Code(description: "phoneTaken")
        /// The username contains only whitespace (217).
        package static let blankUsername = Code(description: "blankUsername")
        /// The password is empty (218).
        package static let blankPassword = Code(description: "blankPassword")
        /// The email address is malformed (125).
        package static let invalidEmail = Code(description: "invalidEmail")
        /// A request that needs an email address has none (204).
        package static let missingEmail = Code(description: "missingEmail")
        /// No user has this email address (205).
        package static let emailNotFound = Code(description: "emailNotFound")
        /// The user has not verified the email address (216).
        package static let emailNotVerified = Code(description: "emailNotVerified")
        /// The address, the client or the app has caused the maximum number of mails.
        package static let tooManyMails = Code(description: "tooManyMails")
        /// A request that needs a phone number has none (212).
        package static let missingPhone = Code(description: "missingPhone")
        /// No user has this phone number (213).
        package static let phoneNotFound = Code(description: "phoneNotFound")
        /// The user has not verified the phone number (215).
        package static let phoneNotVerified = Code(description: "phoneNotVerified")
        /// The number, the client or the app has caused the maximum number of SMS (601).
        package static let tooManySMS = Code(description: "tooManySMS")
        /// The code of an SMS is wrong, used, void or has ended (603).
        package static let codeMismatch = Code(description: "codeMismatch")
        /// The template of an SMS does not exist, or lacks a variable (604).
        package static let invalidSMSTemplate = Code(description: "invalidSMSTemplate")
        /// A captcha, or the proof that one was solved, is missing, wrong, used or has ended (608).
        package static let wrongCaptcha = Code(description: "wrongCaptcha")
        /// The phone number is malformed (127).
        package static let invalidPhone = Code(description: "invalidPhone")
        /// The role name is invalid (139).
        package static let invalidRoleName = Code(description: "invalidRoleName")
        /// A user can only be changed with a session of that user (206).
        package static let sessionRequired = Code(description: "sessionRequired")
        /// The password is wrong (210).
        package static let wrongPassword = Code(description: "wrongPassword")
        /// The user does not exist, or the token has no session (211).
        package static let userNotFound = Code(description: "userNotFound")
        /// The user is locked after too many wrong passwords (219).
        package static let lockedOut = Code(description: "lockedOut")
        /// One user does not follow the other, or a request for friendship does not exist (221).
        package static let friendshipNotFound = Code(description: "friendshipNotFound")
        /// A platform's `authData` has no id (250).
        package static let missingLinkedID = Code(description: "missingLinkedID")
        /// The provider does not confirm the `authData` (251).
        package static let invalidAuthData = Code(description: "invalidAuthData")
        /// The credentials are missing or wrong.
        package static let unauthorized = Code(description: "unauthorized")
        /// The caller is authenticated, but not permitted.
        package static let forbidden = Code(description: "forbidden")
        /// No object has this id.
        package static let objectNotFound = Code(description: "objectNotFound")
        /// Censorship does not let the file's bytes be served (403).
        package static let blocked = Code(description: "blocked")
        /// The URL of a private file or of a restricted image has no valid signature (403).
        package static let unsignedURL = Code(description: "unsignedURL")
        /// Another request of the same kind is in progress (409).
        package static let conflict = Code(description: "conflict")
        /// No file has this key.
        package static let fileNotFound = Code(description: "fileNotFound")
        /// The path does not exist, or not with this method.
        package static let routeNotFound = Code(description: "routeNotFound")
        /// A body, a file or a field exceeds its limit.
        package static let payloadTooLarge = Code(description: "payloadTooLarge")
        /// Image parameters are unknown or out of range.
        package static let badImageRequest = Code(description: "badImageRequest")
        /// The bytes are not an image of a supported format, or the image is damaged.
        package static let notAnImage = Code(description: "notAnImage")
        /// An image or a result exceeds a limit.
        package static let imageTooLarge = Code(description: "imageTooLarge")
        /// Rendering an image took longer than its limit.
        package static let imageTimedOut = Code(description: "imageTimedOut")
        /// The app has used its whole quota of bytes (140).
        package static let quotaExceeded = Code(description: "quotaExceeded")
        /// The app has the maximum number of unfinished uploads (430).
        package static let tooManyUploads = Code(description: "tooManyUploads")
        /// No upload has this token.
        package static let uploadNotFound = Code(description: "uploadNotFound")
        /// The bytes do not match those received before: the offset, the list of parts, or other bytes for the same
        /// range.
        package static let uploadConflict = Code(description: "uploadConflict")
        /// A newer connection continues this upload.
        package static let superseded = Code(description: "superseded")
        /// The digest or the number of bytes differs from the announced one.
        package static let checksumMismatch = Code(description: "checksumMismatch")
        /// A Kodo context belongs to another upload, or its bytes were lost (701).
        package static let invalidContext = Code(description: "invalidContext")
        /// A part has no Content-Length.
        package static let lengthRequired = Code(description: "lengthRequired")
        /// The maximum number of jobs already runs and waits.
        package static let overloaded = Code(description: "overloaded")
        /// The origin of the mirror does not serve the file now, or serves other bytes than expected (502).
        package static let originFailed = Code(description: "originFailed")
        /// The database or the S3 store cannot be reached at the moment; a change may have happened (503, 511).
        package static let unavailable = Code(description: "unavailable")
        /// The disk has no free space.
        package static let storageFull = Code(description: "storageFull")
        /// The file system refuses writes; reads still work (503).
        package static let storageReadOnly = Code(description: "storageReadOnly")
        /// The storage reported an I/O error.
        package static let storageFailing = Code(description: "storageFailing")
        /// Stored data is missing or damaged.
        package static let storageDamaged = Code(description: "storageDamaged")
        /// An internal error; the cause has the details.
        package static let internalFailure = Code(description: "internalFailure")
    }

    /// The kind of error.
    package let code: Code
    /// The message for the client.
    package let message: String
    /// The underlying error; for the log only.
    package let cause: (any Error)?
    /// The setting of the limit that was reached, for the metrics; `nil` if none was.
    package let limit: String?
    /// Seconds after which the client should try again; used by codes for too many requests.
    package let retryAfter: Int

    /// Creates an error with the message for the client.
    ///
    /// A `limit` is a setting's name in the code, and never a value that a client sent: the metrics count by it.
    package init(
        _ code: Code,
        _ message: String,
        limit: String? = nil,
        cause: (any Error)? = nil,
        retryAfter: Int = 1
    ) {
        self.limit = limit
        self.code = code
        self.message = message
        self.cause = cause
        self.retryAfter = retryAfter
    }

    /// Code, message and cause, for the log.
    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }

    /// The refusal of a value that another object has in a unique field.
    package static func duplicate(of field: String, cause: any Error) -> ServiceError {
        ServiceError(
            .duplicateValue,
            "A unique field was given a value that is already taken. The field is '\(field)'.",
            cause: cause
        )
    }
}

extension Error {
    /// The error for the log: the cause of a ``ServiceError`` that has one, because its message is for the client.
    package var logged: any Error { (self as? ServiceError)?.cause ?? self }
}
