/// A type whose optionals are compared with values directly.
///
/// Foundation's `#Predicate` fits models too. The compiler prefers it to this module's if it finds
/// a different operator there, as it does where a value has to be made an optional first. With
/// these operators no conversion is needed, so the compiler finds the same operator in both. They
/// do the same as the standard ones.
public protocol PlainValue: Equatable {}

extension Bool: PlainValue {}
extension Character: PlainValue {}
extension Data: PlainValue {}
extension Date: PlainValue {}
extension Decimal: PlainValue {}
extension Double: PlainValue {}
extension Float: PlainValue {}
extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension PersistentIdentifier: PlainValue {}
extension String: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension URL: PlainValue {}
extension UUID: PlainValue {}

@inlinable public func == <Value: PlainValue>(left: Value?, right: Value) -> Bool {
  if let left { left == right } else { false }
}

@inlinable public func == <Value: PlainValue>(left: Value, right: Value?) -> Bool {
  if let right { left == right } else { false }
}

@inlinable public func != <Value: PlainValue>(left: Value?, right: Value) -> Bool {
  if let left { left != right } else { true }
}

@inlinable public func != <Value: PlainValue>(left: Value, right: Value?) -> Bool {
  if let right { left != right } else { true }
}
