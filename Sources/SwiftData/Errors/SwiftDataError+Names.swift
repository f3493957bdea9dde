public import Foundation

extension SwiftDataError: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Whether an error is this one, for `catch` and `switch`.
  public static func ~= (left: Self, right: any Error) -> Bool { (right as? Self) == left }
}

extension SwiftDataError: CustomStringConvertible {
  public var description: String {
    [message, hint.map { "Hint: \($0)" }].compactMap { $0 }.joined(separator: " ")
  }
}

extension SwiftDataError {
  /// Returns the error that a value isn't of the type that its property has.
  static func mistyped(_ value: Any, _ type: Any.Type) -> SwiftDataError {
    SwiftDataError(.modelValidationFailure, "\(value) isn't a \(type).")
  }
}

/// The texts of the error for Foundation, as in `localizedDescription`.
extension SwiftDataError: LocalizedError {
  public var errorDescription: String? { message }
  public var recoverySuggestion: String? { hint }
}
