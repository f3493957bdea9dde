/// The members of an object that is being written, without those that say nothing.
struct JSONMembers {
  fileprivate var writer = JSONWriter(capacity: 0)
  private var isFirst = true

  fileprivate init() {}

  mutating func member(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    begin(name)
    writer.string(text)
  }

  /// Writes the member only if it is true.
  mutating func member(_ name: StaticString, _ isTrue: Bool) {
    guard isTrue else { return }
    begin(name)
    writer.raw("true")
  }

  mutating func member(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    begin(name)
    writer.integer(number)
  }

  mutating func member(_ name: StaticString, _ value: Value?) {
    guard let value else { return }
    begin(name)
    writer.write(value)
  }

  /// Writes an array, which is left out if it is empty unless it stands `always`.
  mutating func list<Element>(
    _ name: StaticString,
    _ elements: [Element],
    always: Bool = false,
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    guard always || !elements.isEmpty else { return }
    begin(name)
    writer.raw("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { writer.raw(",") }
      write(&writer, element)
    }
    writer.raw("]")
  }

  private mutating func begin(_ name: StaticString) {
    writer.raw(isFirst ? "\"" : ",\"")
    writer.raw(name)
    writer.raw("\":")
    isFirst = false
  }
}

extension JSONWriter {
  /// Writes an object with the members that `body` adds.
  mutating func object(_ body: (inout JSONMembers) -> Void) {
    raw("{")
    var members = JSONMembers()
    // The bytes have one owner at a time, or each object would copy them.
    swap(&bytes, &members.writer.bytes)
    body(&members)
    swap(&bytes, &members.writer.bytes)
    raw("}")
  }
}

extension JSONNode {
  /// The value's text without the white space between its tokens.
  package var compactText: String {
    var result: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in document.bytes[range] {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte <= 0x20 {
        continue
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the case of an enumeration that the string names.
  ///
  /// - Throws: ``DepotError`` `schema.invalid` with the cases that there are as the hint.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    of type: Choice.Type,
    _ what: String
  ) throws(DepotError) -> Choice {
    let text = try string()
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw DepotError(.invalidSchema, "There is no \(what) \(text.debugDescription).")
        .hint("There are \(names).").at(pointer)
    }
    return choice
  }
}
