internal import DepotProtocol
internal import Foundation

/// The value of an attribute as an object holds it: exactly of its type, in a form that is copied and
/// released fast.
///
/// Nearly all values are a text, or a few bytes without references: numbers, dates, identifiers, and
/// most enumerations.
enum AttributeCell {
  /// At most 16 bytes that refer to nothing, and their type.
  case bytes(UInt64, UInt64, Any.Type)
  case text(String)
  case optionalText(String?)
  /// A value of any other type.
  indirect case other(Any)

  @inline(__always)
  init<Content>(_ value: Content) {
    if Content.self == String.self {
      self = .text(reinterpreted(value, as: String.self))
    } else if Content.self == String?.self {
      self = .optionalText(reinterpreted(value, as: String?.self))
    } else if _isPOD(Content.self), MemoryLayout<Content>.size <= 16,
      MemoryLayout<Content>.alignment <= 8
    {
      var words: (UInt64, UInt64) = (0, 0)
      withUnsafeMutableBytes(of: &words) { $0.storeBytes(of: value, as: Content.self) }
      self = .bytes(words.0, words.1, Content.self)
    } else {
      self = .other(value)
    }
  }

  /// Creates the cell of a value whose type is known only while the program runs.
  init(any value: Any) {
    func cell<Content>(_ value: Content) -> AttributeCell { AttributeCell(value) }
    self = _openExistential(value, do: cell)
  }

  /// The value, of its own type.
  var any: Any {
    switch self {
    case .bytes(_, _, let type):
      func value<Content>(_: Content.Type) -> Any { content(Content.self) }
      return _openExistential(type, do: value)
    case .text(let text): return text
    case .optionalText(let text): return text as Any
    case .other(let value): return value
    }
  }

  /// Whether it is a text or data that is too large for a row.
  var isLarge: Bool {
    switch self {
    case .bytes: false
    case .text(let text): text.utf8.count > Limits.valueBytes
    case .optionalText(let text): (text?.utf8.count ?? 0) > Limits.valueBytes
    case .other(let value): ((value as? Data)?.count ?? 0) > Limits.valueBytes
    }
  }

  /// Whether the value is exactly of a type, and not of a subclass or a convertible type.
  @inline(__always)
  func isExactly<Content>(_: Content.Type) -> Bool {
    switch self {
    case .bytes(_, _, let type): type == Content.self
    case .text: Content.self == String.self
    case .optionalText: Content.self == String?.self
    case .other(let value): type(of: value) == Content.self
    }
  }

  /// Returns the value as the type that it is exactly of.
  @inline(__always)
  func content<Content>(_: Content.Type) -> Content {
    switch self {
    case .bytes(let low, let high, _):
      withUnsafeBytes(of: (low, high)) { $0.load(as: Content.self) }
    case .text(let text): reinterpreted(text, as: Content.self)
    case .optionalText(let text): reinterpreted(text, as: Content.self)
    case .other(let value): reinterpreted(value, as: Content.self)
    }
  }

  /// Returns the value as another type.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if it isn't of the type.
  @inline(__always)
  func cast<Wanted>(to type: Wanted.Type) throws -> Wanted {
    isExactly(type) ? content(type) : try converted(any, to: type)
  }
}
