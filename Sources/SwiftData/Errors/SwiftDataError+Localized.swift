public import Foundation

/// What Foundation tells of the error, as in `localizedDescription`.
extension SwiftDataError: LocalizedError {
  public var errorDescription: String? { message }
  public var recoverySuggestion: String? { hint }
}
