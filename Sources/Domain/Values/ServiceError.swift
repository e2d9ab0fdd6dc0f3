/// An error of a service: a code for programs, a message for people, a cause for the log.
///
/// The message is sent to the client unchanged: it names the field and the limit, and contains no path, no SQL and no
/// library text. The HTTP status and the LeanCloud code of each ``Code`` stand in one table, HTTPAPI's `ErrorRenderer`.
package struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// The kinds of refusal; a new one breaks no `switch`, because callers compare and never enumerate.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, for the log.
        package let description: String

        /// A request that breaks a rule; the message names the field.
        package static let badRequest = Code(description: "badRequest")
        /// A field that should be JSON of some form and is not.
        package static let malformedJSON = Code(description: "malformedJSON")
        /// A name that is empty, too long, a path, or has control characters.
        package static let invalidFileName = Code(description: "invalidFileName")
        /// An ACL of another form.
        package static let invalidACL = Code(description: "invalidACL")
        /// A class name that is missing, malformed or not for clients to make (103).
        package static let invalidClassName = Code(description: "invalidClassName")
        /// A field name that is malformed or reserved (105).
        package static let invalidKey = Code(description: "invalidKey")
        /// A pointer without a class or an id (106).
        package static let malformedPointer = Code(description: "malformedPointer")
        /// A value whose type is not its field's (111).
        package static let typeMismatch = Code(description: "typeMismatch")
        /// A field that must be there and is not (113).
        package static let missingField = Code(description: "missingField")
        /// An object beyond the limit on its size (116).
        package static let objectTooLarge = Code(description: "objectTooLarge")
        /// A field that clients may read only (117).
        package static let readOnlyField = Code(description: "readOnlyField")
        /// Something this server does not offer (119).
        package static let notAvailable = Code(description: "notAvailable")
        /// Something for the master key alone (119).
        package static let masterKeyRequired = Code(description: "masterKeyRequired")
        /// A name inside a value that holds `$` or `.` (121).
        package static let invalidInnerKey = Code(description: "invalidInnerKey")
        /// Work that took longer than it may (124).
        package static let timedOut = Code(description: "timedOut")
        /// A relation operation without pointers, with too many, or with those of another class (128).
        package static let invalidRelation = Code(description: "invalidRelation")
        /// A value that is taken in a unique field (137).
        package static let duplicateValue = Code(description: "duplicateValue")
        /// A point beyond the poles or the date line (302).
        package static let invalidGeoPoint = Code(description: "invalidGeoPoint")
        /// A conditional change whose condition does not hold (305).
        package static let noEffect = Code(description: "noEffect")
        /// A log-in or sign-up without a username (200).
        package static let missingUsername = Code(description: "missingUsername")
        /// The same without a password (201).
        package static let missingPassword = Code(description: "missingPassword")
        /// A username that is taken (202).
        package static let usernameTaken = Code(description: "usernameTaken")
        /// An email address that is taken (203).
        package static let emailTaken = Code(description: "emailTaken")
        /// A phone number that is taken (214).
        package static let phoneTaken = Code(description: "phoneTaken")
        /// A username of nothing but blanks (217).
        package static let blankUsername = Code(description: "blankUsername")
        /// An empty password (218).
        package static let blankPassword = Code(description: "blankPassword")
        /// What is no email address (125).
        package static let invalidEmail = Code(description: "invalidEmail")
        /// What is no phone number (127).
        package static let invalidPhone = Code(description: "invalidPhone")
        /// A name that no role can have (139).
        package static let invalidRoleName = Code(description: "invalidRoleName")
        /// A change of a user without that user's session (206).
        package static let sessionRequired = Code(description: "sessionRequired")
        /// A password that is not the user's (210).
        package static let wrongPassword = Code(description: "wrongPassword")
        /// No such user, or no session behind a token (211).
        package static let userNotFound = Code(description: "userNotFound")
        /// Too many wrong passwords (219).
        package static let lockedOut = Code(description: "lockedOut")
        /// `authData` without an identity (250).
        package static let missingLinkedID = Code(description: "missingLinkedID")
        /// `authData` that the provider does not confirm (251).
        package static let invalidAuthData = Code(description: "invalidAuthData")
        /// No credentials, or wrong ones.
        package static let unauthorized = Code(description: "unauthorized")
        /// Known, but not permitted.
        package static let forbidden = Code(description: "forbidden")
        /// No object with that id.
        package static let objectNotFound = Code(description: "objectNotFound")
        /// No file under that key.
        package static let fileNotFound = Code(description: "fileNotFound")
        /// No such path, or not with that method.
        package static let routeNotFound = Code(description: "routeNotFound")
        /// A body, a file or a field beyond its limit.
        package static let payloadTooLarge = Code(description: "payloadTooLarge")
        /// Image parameters that are unknown or out of range.
        package static let badImageRequest = Code(description: "badImageRequest")
        /// Bytes that are no image of a served format, or a broken one.
        package static let notAnImage = Code(description: "notAnImage")
        /// An image, or a result, beyond a limit.
        package static let imageTooLarge = Code(description: "imageTooLarge")
        /// An image that took longer than it may.
        package static let imageTimedOut = Code(description: "imageTimedOut")
        /// The app has all the bytes that it may (140).
        package static let quotaExceeded = Code(description: "quotaExceeded")
        /// The app has all the unfinished uploads that it may (430).
        package static let tooManyUploads = Code(description: "tooManyUploads")
        /// No upload behind a token, or none any more.
        package static let uploadNotFound = Code(description: "uploadNotFound")
        /// Bytes that do not fit what was received before: an offset, a list of parts, other bytes than the first time.
        package static let uploadConflict = Code(description: "uploadConflict")
        /// A newer connection writes what this one wrote.
        package static let superseded = Code(description: "superseded")
        /// Bytes whose digest or number is not what was announced.
        package static let checksumMismatch = Code(description: "checksumMismatch")
        /// A Kodo context that is none of this upload, or whose bytes were lost (701).
        package static let invalidContext = Code(description: "invalidContext")
        /// A part without a Content-Length.
        package static let lengthRequired = Code(description: "lengthRequired")
        /// As much work as the machine can bear runs and waits already.
        package static let overloaded = Code(description: "overloaded")
        /// No free space on the disk.
        package static let storageFull = Code(description: "storageFull")
        /// The file system refuses writes; reads go on (503).
        package static let storageReadOnly = Code(description: "storageReadOnly")
        /// Reading or writing the storage ended with an I/O error.
        package static let storageFailing = Code(description: "storageFailing")
        /// What was stored is missing or is not what was stored.
        package static let storageDamaged = Code(description: "storageDamaged")
        /// Our own fault; the cause says what.
        package static let internalFailure = Code(description: "internalFailure")
    }

    /// What kind of refusal it is.
    package let code: Code
    /// The message for the client.
    package let message: String
    /// What went wrong underneath; for the log only.
    package let cause: (any Error)?
    /// Seconds after which it is worth a try, where the code is one of too many requests.
    package let retryAfter: Int

    /// Takes the message that the client gets.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil, retryAfter: Int = 1) {
        self.code = code
        self.message = message
        self.cause = cause
        self.retryAfter = retryAfter
    }

    /// Code, message and cause, for the log.
    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
