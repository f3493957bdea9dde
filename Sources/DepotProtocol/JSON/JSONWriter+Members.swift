extension JSONWriter {
  /// Writes a comma, unless an array or an object begins here.
  package mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "["), UInt8(ascii: "{"): break
    default: raw(",")
    }
  }

  /// Writes the name of a member, after a comma unless it is the first of its object.
  package mutating func name(_ name: String) {
    separate()
    string(name)
    raw(":")
  }

  /// Writes the name of a member, after a comma unless it is the first of its object.
  package mutating func member(_ name: StaticString) { member(name, room: 0) { _ in 0 } }

  /// Writes a member whose value `write` writes into memory with room for so many bytes.
  @inline(__always)
  private mutating func member(
    _ name: StaticString,
    room: Int,
    _ write: (UnsafeMutablePointer<UInt8>) -> Int
  ) {
    let isFirst = bytes.last == UInt8(ascii: "{")
    let count = name.utf8CodeUnitCount
    // One addition of bytes costs less than three.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 4 + room) { memory in
      guard let text = memory.baseAddress else { return }
      text[0] = UInt8(ascii: ",")
      text[1] = UInt8(ascii: "\"")
      (text + 2).update(from: name.utf8Start, count: count)
      text[count + 2] = UInt8(ascii: "\"")
      text[count + 3] = UInt8(ascii: ":")
      let end = count + 4 + write(text + count + 4)
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: memory[(isFirst ? 1 : 0)..<end]))
    }
  }

  package mutating func member(_ name: StaticString, _ value: String) {
    member(name)
    string(value)
  }

  package mutating func member(_ name: StaticString, _ value: Int) {
    member(name, room: NumberText.longest) { NumberText.write(Int64(value), to: $0) }
  }

  package mutating func member(
    _ name: StaticString,
    _ value: Int64,
    as form: Int64Form = .number
  ) {
    member(name)
    integer(value, as: form)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    member(name)
    bool(value)
  }

  package mutating func member(_ name: StaticString, _ values: [String]) {
    member(name)
    names(values)
  }

  /// Writes a member whose value is an object with members that `body` writes.
  package mutating func member(
    _ name: StaticString,
    _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    member(name)
    try object(body)
  }

  /// Writes an object with members that `body` writes.
  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    raw("{")
    try body(&self)
    raw("}")
  }

  /// Writes an array of identifiers.
  package mutating func identifiers(
    _ list: some Sequence<Int64>,
    as form: Int64Form = .number
  ) {
    array(list) { $0.integer($1, as: form) }
  }

  /// Writes an array of strings.
  package mutating func names(_ list: [String]) {
    array(list) { $0.string($1) }
  }

  /// Writes an integer of a row in the form that the client asked for.
  @inline(__always)
  package mutating func integer(_ value: Int64, as form: Int64Form) {
    if form == .number { return integer(value) }
    raw("\"")
    integer(value)
    raw("\"")
  }
}
