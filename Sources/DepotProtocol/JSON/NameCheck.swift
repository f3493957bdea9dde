/// The check that an object has no name twice.
///
/// Few names are compared in pairs by their bytes. Many names, and names with escapes, are compared
/// as a set of their decoded bytes.
struct NameCheck {
  /// The tokens of the document; the value of a name is the token after it.
  let tokens: [JSONToken]
  /// The index of the object.
  let object: Int
  let bytes: UnsafeBufferPointer<UInt8>

  /// Compares the names of the object, after undoing their escapes.
  ///
  /// - Throws: ``JSONError`` at the second of two equal names, or at a name with U+0000.
  func refuseDuplicates() throws(JSONError) {
    let count = Int(tokens[object].count)
    // A name with an escape, even a single one, could have U+0000.
    if count == 1, !tokens[object + 1].isComplex { return }
    if count <= 16 {
      try comparePairs()
    } else {
      try compareSet()
    }
  }

  private func comparePairs() throws(JSONError) {
    let end = Int(tokens[object].next)
    var index = object + 1
    while index < end {
      if tokens[index].isComplex { return try compareSet() }
      var earlier = object + 1
      while earlier < index {
        if plainEqual(tokens[earlier], tokens[index]) { throw duplicate(tokens[index]) }
        earlier = Int(tokens[earlier + 1].next)
      }
      index = Int(tokens[index + 1].next)
    }
  }

  private func compareSet() throws(JSONError) {
    // Swift's strings compare by canonical equivalence; names are equal if their bytes are.
    var names: Set<[UInt8]> = []
    var index = object + 1
    while index < Int(tokens[object].next) {
      let name = JSONText.string(tokens[index], in: bytes)
      if name.utf8.contains(0) { throw JSONError(.nulInName, at: Int(tokens[index].start)) }
      guard names.insert(Array(name.utf8)).inserted else { throw duplicate(tokens[index]) }
      index = Int(tokens[index + 1].next)
    }
  }

  /// Returns whether two names without escapes are equal.
  @inline(__always)
  private func plainEqual(_ left: JSONToken, _ right: JSONToken) -> Bool {
    let count = Int(left.end - left.start)
    guard count == Int(right.end - right.start) else { return false }
    for offset in 0..<count
    where bytes[Int(left.start) + offset] != bytes[Int(right.start) + offset] { return false }
    return true
  }

  private func duplicate(_ token: JSONToken) -> JSONError {
    JSONError(.duplicateName(JSONText.string(token, in: bytes)), at: Int(token.start))
  }
}
