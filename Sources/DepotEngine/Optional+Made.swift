extension Optional {
  /// Returns the value, which `make` makes if there is none yet.
  ///
  /// - Throws: What `make` throws, and there is none still.
  mutating func made<Failure>(_ make: () throws(Failure) -> Wrapped) throws(Failure) -> Wrapped {
    if let self { return self }
    let value = try make()
    self = value
    return value
  }
}
