extension Optional {
  /// Returns the value, which `make` makes if there is none yet.
  ///
  /// - Throws: The error of `make`; the value is still missing then.
  mutating func made<Failure>(_ make: () throws(Failure) -> Wrapped) throws(Failure) -> Wrapped {
    if let self { return self }
    let value = try make()
    self = value
    return value
  }
}
