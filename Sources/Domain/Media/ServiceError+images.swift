extension ServiceError {
    /// The error for a file that is not an image, or a damaged one; the cause is for the log.
    package static func notAnImage(_ cause: (any Error)? = nil) -> ServiceError {
        ServiceError(.notAnImage, "The file is not an image that can be read.", cause: cause)
    }
}
