/// Returns a value as another type.
///
/// Most are exactly of it, which is found much faster than by a cast.
///
/// - Throws: ``SwiftDataError/modelValidationFailure`` if it isn't of the type.
func cast<Wanted>(_ value: Any, to type: Wanted.Type) throws -> Wanted {
  isExactly(value, type) ? reinterpreted(value, as: type) : try converted(value, to: type)
}

// because a function that could make an optional of any type looks its metadata up each time
@inline(never)
func converted<Wanted>(_ value: Any, to _: Wanted.Type) throws -> Wanted {
  guard let value = value as? Wanted else { throw SwiftDataError.mistyped(value, Wanted.self) }
  return value
}

/// Whether a value is exactly of a type, and not of a subclass or a convertible type.
@inline(__always)
func isExactly<Wanted>(_ value: Any, _: Wanted.Type) -> Bool { type(of: value) == Wanted.self }

/// Returns a value as a type that it is exactly of.
@inline(__always)
func reinterpreted<Value, Wanted>(_ value: Value, as _: Wanted.Type) -> Wanted {
  // because both types are the same one, as the caller has found
  unsafeBitCast(value, to: Wanted.self)
}

/// Whether a value is an optional without one.
func isNil(_ value: Any) -> Bool {
  (value as? any OptionalType).map { $0.wrapped == nil } ?? false
}
