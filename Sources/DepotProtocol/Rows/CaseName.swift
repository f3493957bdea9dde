/// The names of enumeration cases as they are declared, independent of custom descriptions.
package enum CaseName {
  /// Returns the name of a value's case; `nil` for other types and cases with associated values.
  package static func of(_ value: some Any) -> String? {
    guard let name = enumCaseName(value).map({ String(cString: $0) }) else { return nil }
    // A custom mirror may have children that aren't associated values.
    return value is any CustomReflectable || Mirror(reflecting: value).children.isEmpty ? name : nil
  }

  /// Returns the value that a text stands for; `nil` if there is none, or more than one.
  static func value<Content>(_ text: String, among values: some Collection<Content>) -> Content? {
    let named = values.first { value in
      enumCaseName(value).map { String(cString: $0) == text } ?? false && of(value) != nil
    }
    if let named { return named }
    let described = values.filter { of($0) == nil && String(describing: $0) == text }
    return described.count == 1 ? described[0] : nil
  }

  /// Returns the stored text of a value: the name of its case, or else its unique description.
  static func stored<Content>(_ value: Content, among values: some Collection<Content>) -> Value {
    if let name = of(value) { return .string(name) }
    let text = String(describing: value)
    guard Self.value(text, among: values) != nil else {
      return RefusedValue.value("No value of \(Content.self), or more than one, is \"\(text)\".")
    }
    return .string(text)
  }
}

/// The runtime function that the standard library uses for the default descriptions of cases.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Content>(_ value: Content) -> UnsafePointer<CChar>?
