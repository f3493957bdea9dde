extension Int {
  /// Returns the number with a noun, which gets an s unless the number is one: `1 row`, `2 rows`.
  package func pluralized(_ noun: String) -> String {
    "\(self) \(noun)\(self == 1 ? "" : "s")"
  }
}
