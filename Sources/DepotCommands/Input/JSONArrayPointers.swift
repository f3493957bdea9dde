/// The paths of arrays of objects in a JSON document.
struct JSONArrayPointers {
  private static let depth = 5
  private static let count = 8

  private(set) var pointers: [String] = []

  /// Finds the arrays in a document whose end may be missing.
  init(in bytes: some Sequence<UInt8>) {
    var scanner = JSONPathScanner(limit: Self.depth)
    for byte in bytes where scanner.take(byte) { add(scanner, byte) }
  }

  init() {}

  /// Notes the array of the scanner's value, if that is the first element.
  mutating func add(_ scanner: JSONPathScanner, _ byte: UInt8) {
    guard byte == UInt8(ascii: "{"), pointers.count < Self.count,
      let path = scanner.arrayOfFirst, !path.isEmpty
    else { return }
    pointers.append(InputForm.pointer(path))
  }

  /// A sentence that says how to import one of them; `nil` if there are none.
  var advice: String? {
    guard let first = pointers.first else { return nil }
    let places = pointers.joined(separator: ", ")
    let option = "--path " + CommandWords.quoted(first)
    return pointers.count == 1
      ? "The document has an array of objects; add \(option)"
      : "The document has arrays of objects at \(places). Choose one, as in \(option)"
  }
}
