extension Optional {
  /// Returns the value, after `make` has made it if it is `nil`.
  ///
  /// - Throws: The error of `make`; the value then stays `nil`.
  mutating func getOrInsert<Failure>(
    _ make: () throws(Failure) -> Wrapped
  ) throws(Failure) -> Wrapped {
    if let self { return self }
    let value = try make()
    self = value
    return value
  }
}
