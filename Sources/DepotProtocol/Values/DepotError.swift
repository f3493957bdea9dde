/// The reason why a request failed, in terms that programs can act on.
public struct DepotError: Error, Hashable, Sendable {
  /// The kind of failure, a class and a reason, as in `conflict.unique`.
  public var code: Code
  /// The failure in words for people.
  ///
  /// It isn't part of the protocol.
  public var message: String
  /// A suggestion for the user.
  public var hint: String?
  /// The JSON pointer (RFC 6901) to the member of the request that is at fault.
  public var at: String?
  /// Facts for programs; their names depend on the code.
  public var details: JSONValue?
  /// The effect of the request.
  ///
  /// Unless the connection was lost, it was not applied.
  public var effect: Effect

  /// Creates an error with the effect ``Effect/none``.
  public init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    effect = .none
  }

  /// The effect of a request that failed.
  public enum Effect: String, Hashable, Sendable {
    /// Nothing was stored.
    case none
    /// The change is stored.
    case applied
    /// A part of the change is stored: the chunks before the one that failed.
    case partial
    /// The outcome is unknown; sending the request again with the same idempotency key settles it.
    case unknown
  }

  /// Whether, and when, it helps to send the request again.
  public enum Retry: String, Hashable, Sendable {
    case no
    case now
    case later
    case afterRefetch = "after_refetch"
  }

  /// Returns the error with its place in the request.
  package func at(_ pointer: String) -> DepotError {
    var copy = self
    copy.at = copy.at ?? pointer
    return copy
  }

  /// Returns a value; if `body` throws, the error gets its place in the request.
  package static func at<Value>(
    _ pointer: @autoclosure () -> String,
    _ value: @autoclosure () throws(DepotError) -> Value
  ) throws(DepotError) -> Value {
    do {
      return try value()
    } catch {
      throw error.at(pointer())
    }
  }

  /// Returns the error with its place below the member at `pointer`.
  package func inside(_ pointer: String) -> DepotError {
    var copy = self
    copy.at = pointer + (copy.at ?? "")
    return copy
  }

  /// Returns the error with a suggestion.
  package func hint(_ hint: String?) -> DepotError {
    var copy = self
    copy.hint = hint ?? copy.hint
    return copy
  }

  /// Returns the error with facts for programs.
  package func details(_ details: [String: JSONValue]) -> DepotError {
    var copy = self
    copy.details = .object(details)
    return copy
  }
}

extension DepotError {
  /// Returns the error with another fact for programs; `nil` adds none.
  package func detail(_ name: String, _ text: String?) -> DepotError {
    detail(name, json: text.map(JSONValue.string))
  }

  /// Returns the error with another fact for programs; `nil` adds none.
  package func detail(_ name: String, _ number: Int64?) -> DepotError {
    detail(name, json: number.map(JSONValue.int64))
  }

  /// Returns the error with another fact for programs; `nil` adds none.
  package func detail(_ name: String, _ texts: [String]?) -> DepotError {
    detail(name, json: texts.map { .array($0.map(JSONValue.string)) })
  }

  /// Returns the error with another fact for programs.
  package func detail(_ name: String, _ numbers: [Int64]) -> DepotError {
    detail(name, json: .array(numbers.map(JSONValue.int64)))
  }

  /// Returns the error with the entity and the attribute that it is about.
  package func details(entity: String, attribute: String) -> DepotError {
    details(["entity": .string(entity), "attribute": .string(attribute)])
  }

  /// Returns the error with a list of the rules that rows break.
  package func detail(violations: [DepotError]) -> DepotError {
    detail("violations", json: .array(violations.map(\.violation)))
  }

  /// The error as an element of a list of violations.
  private var violation: JSONValue {
    var members: [String: JSONValue] = [
      "code": .string(code.rawValue), "message": .string(message),
    ]
    members["hint"] = hint.map(JSONValue.string)
    members["pointer"] = at.map(JSONValue.string)
    return .object(members.merging(details?.object ?? [:]) { $1 })
  }

  /// Returns the error with another fact for programs; `nil` adds none.
  package func detail(_ name: String, json fact: JSONValue?) -> DepotError {
    guard let fact else { return self }
    return details((details?.object ?? [:]).merging([name: fact]) { $1 })
  }
}

extension DepotError: CustomStringConvertible {
  public var description: String {
    "\(code.rawValue): \(message)\(hint.map { " (\($0))" } ?? "")"
  }
}

extension DepotError {
  /// Whether, and when, it helps to send the request again, according to the code.
  public var retry: Retry { code.retry }
}
