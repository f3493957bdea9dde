/// The shape of inserts or saves whose frames differ only in ids, keys, and rows.
///
/// A program sends the same frame repeatedly with other values. Such a frame is recognized by the
/// bytes around its values: only the rows are checked, and the rest of the frame isn't parsed.
final class WriteShape: Sendable {
  /// The frame that the shape was made from.
  private let frame: [UInt8]
  /// The parts that differ between frames of the shape, in order.
  private let parts: [Part]
  /// The call in that frame.
  private let call: Call
  /// The number of JSON values in the frame, including its rows.
  private let valueCount: Int

  /// A part that differs between frames of a shape.
  private struct Part: Sendable {
    let range: Range<Int>
    let content: Content
  }

  private enum Content: Sendable {
    case id
    case predecessor
    case key
    case rows(RowsMember)
  }

  /// A member of a request with rows; a save has lists of them.
  private enum RowsMember: Sendable {
    case insert
    case insertion(Int)
    case change(Int)
    case base(Int)
  }

  /// Makes the shape of a frame; `nil` if the call isn't an insert or a save of rows.
  init?(_ frame: [UInt8], _ call: Call) {
    guard let document = try? JSONDocument(frame),
      let arguments = document.root.member("args")?.value,
      let id = document.root.member("id")?.value, id.kind == .number, !id.isComplex
    else { return nil }
    var parts = [Part(range: id.range, content: .id)]
    if let key = document.root.member("key")?.value {
      guard key.kind == .string, !key.isComplex else { return nil }
      parts.append(Part(range: key.range, content: .key))
    }
    if let after = document.root.member("after")?.value {
      guard after.kind == .number, !after.isComplex else { return nil }
      parts.append(Part(range: after.range, content: .predecessor))
    }
    func add(_ rows: JSONNode?, _ member: RowsMember) {
      if let rows { parts.append(Part(range: rows.range, content: .rows(member))) }
    }
    switch call.operation {
    case .insert: add(arguments.member("rows")?.value, .insert)
    case .save(let save) where save.staged == nil:
      for (index, node) in Self.elements(arguments, "insert").enumerated() {
        add(node.member("rows")?.value, .insertion(index))
      }
      for (index, node) in Self.elements(arguments, "update").enumerated() {
        add(node.member("rows")?.value, .change(index))
        add(node.member("base")?.value.member("rows")?.value, .base(index))
      }
    default: return nil
    }
    parts.sort { $0.range.lowerBound < $1.range.lowerBound }
    self.frame = frame
    self.parts = parts
    self.call = call
    valueCount = document.tokens.count
  }

  private static func elements(_ arguments: JSONNode, _ name: StaticString) -> [JSONNode] {
    (try? arguments.member(name)?.value.elements()) ?? []
  }

  /// Returns the call of a frame, or `nil` if the frame has another shape or must be parsed.
  func call(_ bytes: UnsafeBufferPointer<UInt8>) -> Call? {
    frame.withUnsafeBufferPointer { frame -> Call? in
      switch call.operation {
      case .insert(var request):
        guard var call = match(bytes, frame, { rows, _ in request.rows = rows }),
          request.rows.count <= Limits.rows
        else { return nil }
        call.operation = .insert(request)
        return call
      case .save(var request):
        let call = match(bytes, frame) { rows, member in
          switch member {
          case .insert: break
          case .insertion(let index): request.inserts[index].rows = rows
          case .change(let index): request.updates[index].rows = rows
          case .base(let index): request.updates[index].base?.rows = rows
          }
        }
        guard var call, request.rowCount <= Limits.rows, request.hasBaseForEachChange else {
          return nil
        }
        call.operation = .save(request)
        return call
      default: return nil
      }
    }
  }

  /// Compares a frame with this shape's, and passes its rows to `take`.
  ///
  /// - Returns: The call, with the rows of the shape's own frame; `nil` if the frames differ.
  @inline(__always)
  private func match(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ frame: UnsafeBufferPointer<UInt8>,
    _ take: (RowBatch, RowsMember) -> Void
  ) -> Call? {
    var (position, constant) = (0, 0)
    var options = call.hasOptions ? call.options : nil
    // An upper bound of the values of the frame.
    var values = valueCount
    var id: Int64 = 0
    for part in parts {
      guard Self.skip(frame[constant..<part.range.lowerBound], bytes, &position) else { return nil }
      constant = part.range.upperBound
      switch part.content {
      case .id:
        guard let number = Self.number(bytes, &position) else { return nil }
        id = number
      case .predecessor:
        guard let number = Self.number(bytes, &position) else { return nil }
        options?.predecessor = Int(number)
      case .key:
        guard let key = Self.key(bytes, &position) else { return nil }
        options?.key = key
      case .rows(let member):
        let first = position
        guard let count = RowText.skip(bytes, &position, &values) else { return nil }
        take(RowBatch(json: Array(bytes[first..<position]), count: count), member)
      }
    }
    guard Self.skip(frame[constant...], bytes, &position), position == bytes.count,
      values <= Limits.values
    else { return nil }
    var call = call
    call.id = id
    if let options { call.options = options }
    return call
  }

  /// Skips constant bytes; returns whether they are there.
  @inline(__always)
  private static func skip(
    _ constant: Slice<UnsafeBufferPointer<UInt8>>,
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> Bool {
    let constant = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: constant))
    guard bytes.count - position >= constant.count,
      FrameOutline.isEqual(constant, 0, UnsafeRawBufferPointer(bytes), position, constant.count)
    else { return false }
    position += constant.count
    return true
  }

  /// Reads a positive whole number, such as the id of a call.
  private static func number(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < bytes.count, bytes[position] &- 0x30 < 10, position - start < 17 {
      value = value * 10 + Int64(bytes[position] &- 0x30)
      position += 1
    }
    guard position > start, bytes[start] != UInt8(ascii: "0"), value < 1 << 53 else { return nil }
    return value
  }

  /// Reads an idempotency key.
  private static func key(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> String? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    position = start
    guard (try? StringCheck.skip(bytes, from: &position)) == false,
      1...Limits.keyBytes ~= position - start
    else { return nil }
    defer { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

/// Checks the JSON of rows in a frame without making a list of their values.
private enum RowText {
  /// Skips a list of rows with plain values, brackets included, and counts the values.
  ///
  /// - Returns: The number of rows; `nil` if the text must be parsed: it isn't JSON, or has an
  ///   array or an object as a value.
  static func skip(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int,
    _ values: inout Int
  ) -> Int? {
    guard next(bytes, &position) == UInt8(ascii: "[") else { return nil }
    position += 1
    var rows = 0
    if next(bytes, &position) == UInt8(ascii: "]") {
      position += 1
      return 0
    }
    while true {
      guard next(bytes, &position) == UInt8(ascii: "["), row(bytes, &position, &values) else {
        return nil
      }
      rows += 1
      switch next(bytes, &position) {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return rows
      default: return nil
      }
    }
  }

  @inline(__always)
  private static func row(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int,
    _ values: inout Int
  ) -> Bool {
    position += 1
    values += 1
    if next(bytes, &position) == UInt8(ascii: "]") {
      position += 1
      return true
    }
    while true {
      guard value(bytes, &position) else { return false }
      values += 1
      switch next(bytes, &position) {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return true
      default: return false
      }
    }
  }

  @inline(__always)
  private static func value(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> Bool {
    switch next(bytes, &position) {
    case UInt8(ascii: "\""):
      position += 1
      guard (try? StringCheck.skip(bytes, from: &position)) != nil else { return false }
      position += 1
      return true
    case UInt8(ascii: "n"): return word("null", bytes, &position)
    case UInt8(ascii: "t"): return word("true", bytes, &position)
    case UInt8(ascii: "f"): return word("false", bytes, &position)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return (try? NumberCheck.skip(bytes, from: &position)) != nil
    default: return false
    }
  }

  private static func word(
    _ text: StaticString,
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] {
      return false
    }
    position += count
    return true
  }

  /// Returns the next byte that isn't white space, or 0 at the end.
  @inline(__always)
  private static func next(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> UInt8 {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case let byte: return byte
      }
    }
    return 0
  }
}
