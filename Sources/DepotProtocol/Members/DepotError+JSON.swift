extension DepotError {
  /// Reads an error from the `err` member of a frame, ignoring unknown members.
  package init(_ node: JSONNode) throws(DepotError) {
    self = try RequestReader.reply(node)
  }
}

extension DepotError: MemberObject {
  static var blank: Self { Self(Code(rawValue: ""), "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("code", &code.rawValue)
    try coder.required("message", &message)
    try coder.optional("hint", &hint)
    try coder.optional("at", &at)
    if !Coder.isReader {
      var retry = retry.rawValue
      try coder.required("retry", &retry)
    }
    var name = effect.rawValue
    try coder.value("effect", &name, default: "", isAlwaysWritten: true)
    effect = Effect(rawValue: name) ?? .none
    try coder.optional("details", &details)
  }
}

extension JSONWriter {
  /// Writes an error as the value of `err`.
  package mutating func write(_ error: DepotError) { object(error) }
}
