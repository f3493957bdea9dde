/// Why a request failed, in terms that programs can act on.
public struct DepotError: Error, Hashable, Sendable {
  /// What failed: a class and a reason, as in `conflict.unique`.
  public var code: Code
  /// What happened, for people.
  ///
  /// It isn't part of the protocol.
  public var message: String
  /// What to do about it.
  public var hint: String?
  /// The JSON pointer (RFC 6901) to the member of the request that is at fault.
  public var at: String?
  /// Facts for programs; their names depend on the code.
  public var details: JSONValue?
  /// What became of the request.
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

  /// What became of the request that failed.
  public enum Effect: String, Hashable, Sendable {
    /// Nothing was stored.
    case none
    /// The change is stored.
    case applied
    /// A part of the change is stored: the chunks before the one that failed.
    case partial
    /// Nobody knows; sending the request again with the same idempotency key settles it.
    case unknown
  }

  /// When sending the request again can help.
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

  /// Returns the error with its place below the member that `pointer` leads to.
  package func inside(_ pointer: String) -> DepotError {
    var copy = self
    copy.at = pointer + (copy.at ?? "")
    return copy
  }

  /// Returns the error with something to do about it.
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

extension DepotError: CustomStringConvertible {
  public var description: String {
    "\(code.rawValue): \(message)\(hint.map { " (\($0))" } ?? "")"
  }
}

extension DepotError {
  /// When sending the request again can help, by the code.
  public var retry: Retry { code.retry }

  /// Reads an error from the `err` member of a frame, accepting what it doesn't know.
  package init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(Code(rawValue: try reader.string("code")), try reader.string("message"))
    hint = try reader.optionalString("hint")
    at = try reader.optionalString("at")
    effect = try reader.optionalString("effect").flatMap(Effect.init) ?? .none
    if let node = reader.optional("details") { details = try JSONValue(node) }
  }
}

extension JSONWriter {
  /// Writes an error as the value of `err`.
  package mutating func write(_ error: DepotError) {
    raw("{\"code\":")
    string(error.code.rawValue)
    raw(",\"message\":")
    string(error.message)
    if let hint = error.hint {
      raw(",\"hint\":")
      string(hint)
    }
    if let at = error.at {
      raw(",\"at\":")
      string(at)
    }
    raw(",\"retry\":")
    string(error.retry.rawValue)
    raw(",\"effect\":")
    string(error.effect.rawValue)
    if let details = error.details {
      raw(",\"details\":")
      write(details)
    }
    raw("}")
  }
}
