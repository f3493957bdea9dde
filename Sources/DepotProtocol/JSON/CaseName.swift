/// The names of the cases of enumerations, as their declarations have them.
///
/// It doesn't matter how the values describe themselves.
package enum CaseName {
  /// Returns the name of the case that a value is; `nil` if it is no enumeration's, or has associated values.
  package static func of(_ value: some Any) -> String? {
    guard let name = enumCaseName(value).map({ String(cString: $0) }) else { return nil }
    // A mirror of one's own may have children that aren't associated values.
    return value is any CustomReflectable || Mirror(reflecting: value).children.isEmpty ? name : nil
  }

  /// Returns the one of some values that a text stands for; `nil` if none is, or several are.
  static func value<Content>(_ text: String, among values: some Collection<Content>) -> Content? {
    let named = values.first { value in
      enumCaseName(value).map { String(cString: $0) == text } ?? false && of(value) != nil
    }
    if let named { return named }
    let described = values.filter { of($0) == nil && String(describing: $0) == text }
    return described.count == 1 ? described[0] : nil
  }

  /// Returns the stored text of one of some values: the name of its case, or else its description, which no
  /// other may have.
  static func stored<Content>(_ value: Content, among values: some Collection<Content>) -> Value {
    if let name = of(value) { return .string(name) }
    let text = String(describing: value)
    guard Self.value(text, among: values) != nil else {
      return RefusedValue.value("No value of \(Content.self), or more than one, is \"\(text)\".")
    }
    return .string(text)
  }
}

/// The runtime's function by which the standard library describes enumerations that don't do it themselves.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Content>(_ value: Content) -> UnsafePointer<CChar>?
