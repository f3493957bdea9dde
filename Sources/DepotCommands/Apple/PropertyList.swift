internal import DepotProtocol

/// A value of a binary property list, the form of keyed archives.
indirect enum PropertyList: Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case data([UInt8])
  case array([PropertyList])
  case dictionary([String: PropertyList])
  /// The number of another object of a keyed archive.
  case reference(Int)

  /// Reads a binary property list.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if it is none, or is damaged.
  init(_ bytes: [UInt8]) throws(DepotError) {
    self = try PropertyListReader(bytes).root()
  }

  subscript(key: String) -> PropertyList? {
    if case .dictionary(let members) = self { members[key] } else { nil }
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }

  var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }

  var array: [PropertyList]? { if case .array(let elements) = self { elements } else { nil } }
}

private struct PropertyListReader {
  /// The maximal nesting of values.
  private static let depth = 64
  /// The maximal number of values; texts and data also count once for each 64 bytes.
  ///
  /// A value counts each time it is used.
  private static let limit = 1_000_000

  private let bytes: [UInt8]
  private let offsets: [Int]
  private let referenceSize: Int
  private let top: Int

  private static let damaged = DepotError(.corrupt, "A property list is damaged.")

  init(_ bytes: [UInt8]) throws(DepotError) {
    self.bytes = bytes
    guard bytes.count > 40, bytes.starts(with: "bplist0".utf8) else { throw Self.damaged }
    let trailer = bytes.count - 32
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = Self.number(bytes, trailer + 8, 8) ?? -1
    top = Self.number(bytes, trailer + 16, 8) ?? -1
    let table = Self.number(bytes, trailer + 24, 8) ?? -1
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0,
      count < bytes.count, top < count, table >= 0, table <= trailer - count * offsetSize
    else { throw Self.damaged }
    let all = bytes
    offsets = (0..<count).map { Self.number(all, table + $0 * offsetSize, offsetSize) ?? -1 }
  }

  func root() throws(DepotError) -> PropertyList {
    var left = Self.limit
    return try object(top, depth: 0, &left)
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int? {
    guard offset >= 0, offset + size <= bytes.count else { return nil }
    let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(truncatingIfNeeded: value)
  }

  private func number(_ offset: Int, _ size: Int) throws(DepotError) -> Int {
    guard let number = Self.number(bytes, offset, size) else { throw Self.damaged }
    return number
  }

  private func object(
    _ index: Int,
    depth: Int,
    _ left: inout Int
  ) throws(DepotError) -> PropertyList {
    left -= 1
    guard left > 0, depth < Self.depth, offsets.indices.contains(index),
      bytes.indices.contains(offsets[index])
    else { throw Self.damaged }
    var offset = offsets[index] + 1
    let mark = bytes[offsets[index]]
    let low = Int(mark & 0x0F)
    switch mark >> 4 {
    case 0: return mark == 8 ? .bool(false) : mark == 9 ? .bool(true) : .null
    case 1: return .integer(Int64(try number(offset + max(0, (1 << low) - 8), min(8, 1 << low))))
    case 2, 3:
      let bits = UInt64(bitPattern: Int64(try number(offset, 1 << low)))
      let single = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      return .real(low == 2 ? Double(single) : Double(bitPattern: bits))
    case 8: return .reference(try number(offset, low + 1))
    default: break
    }
    var count = low
    if low == 15 {
      guard bytes.indices.contains(offset) else { throw Self.damaged }
      let size = 1 << Int(bytes[offset] & 0x0F)
      count = try number(offset + 1, size)
      offset += 1 + size
    }
    guard count >= 0, count <= bytes.count else { throw Self.damaged }
    switch mark >> 4 {
    case 4: return .data(Array(try slice(offset, count, &left)))
    case 5: return .string(String(decoding: try slice(offset, count, &left), as: UTF8.self))
    case 6:
      let units = Array(try slice(offset, count * 2, &left))
      let text = stride(from: 0, to: units.count, by: 2)
        .map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
      return .string(String(decoding: text, as: UTF16.self))
    case 10, 12: return .array(try objects(offset, count, depth, &left))
    case 13:
      let keys = try objects(offset, count, depth, &left)
      let values = try objects(offset + count * referenceSize, count, depth, &left)
      var members: [String: PropertyList] = [:]
      for (key, value) in zip(keys, values) { members[key.string ?? ""] = value }
      return .dictionary(members)
    default: throw Self.damaged
    }
  }

  private func slice(
    _ offset: Int,
    _ count: Int,
    _ left: inout Int
  ) throws(DepotError) -> ArraySlice<UInt8> {
    left -= count / 64
    guard left > 0, offset + count <= bytes.count else { throw Self.damaged }
    return bytes[offset..<offset + count]
  }

  private func objects(
    _ offset: Int,
    _ count: Int,
    _ depth: Int,
    _ left: inout Int
  ) throws(DepotError) -> [PropertyList] {
    var result: [PropertyList] = []
    for place in 0..<count {
      let index = try number(offset + place * referenceSize, referenceSize)
      result.append(try object(index, depth: depth + 1, &left))
    }
    return result
  }
}
