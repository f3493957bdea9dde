/// A type of which an optional is compared with a value directly.
///
/// Foundation's `#Predicate` fits models too. The compiler takes it instead of this module's if it
/// finds another operator there, as it does where a value has to be made an optional first. With
/// these operators nothing has to, so it finds the same one in both. They say what the others do.
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
