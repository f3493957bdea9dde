internal import DepotProtocol

/// A scanner of JSON, byte by byte, that tracks the path of each value without checking the text.
@Memberwise
struct JSONPathScanner {
  private struct Container {
    var isObject: Bool
    /// The index of the last element begun.
    var index = -1
    /// The name of the last member begun.
    var name = ""
    var awaitsName: Bool
  }

  /// The nesting up to which paths are tracked.
  private let limit: Int
  private var containers: [Container] = []
  /// The number of further, untracked containers around the position.
  private var deeper = 0
  private var isInString = false
  private var isEscaped = false
  private var isInScalar = false
  private var isInName = false
  private var nameBytes: [UInt8] = []
  private var valueDepth = 0

  /// The number of containers around the position.
  var depth: Int { containers.count + deeper }

  /// The path of the last value begun.
  var path: [String] {
    containers.prefix(valueDepth).map { $0.isObject ? $0.name : "\($0.index)" }
  }

  /// The path of the array whose first element began last.
  ///
  /// It is `nil` for other values, and for arrays within arrays.
  var arrayOfFirst: [String]? {
    guard valueDepth > 0, valueDepth <= containers.count else { return nil }
    let last = containers[valueDepth - 1]
    let outer = containers.prefix(valueDepth - 1)
    guard !last.isObject, last.index == 0, outer.allSatisfy(\.isObject) else { return nil }
    return outer.map(\.name)
  }

  /// Moves past a byte; returns whether a value begins with it.
  mutating func take(_ byte: UInt8) -> Bool {
    if isInString { return takeInString(byte) }
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: isInScalar = false
    case UInt8(ascii: ":"): break
    case UInt8(ascii: ","):
      isInScalar = false
      if deeper == 0, !containers.isEmpty {
        containers[containers.count - 1].awaitsName = containers[containers.count - 1].isObject
      }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      isInScalar = false
      if deeper > 0 { deeper -= 1 } else { _ = containers.popLast() }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isKnown = beginValue()
      if isKnown, containers.count < limit {
        let isObject = byte == UInt8(ascii: "{")
        containers.append(Container(isObject: isObject, awaitsName: isObject))
      } else {
        deeper += 1
      }
      return isKnown
    case UInt8(ascii: "\""):
      isInString = true
      guard deeper == 0, containers.last?.awaitsName == true else { return beginValue() }
      isInName = true
      nameBytes = [byte]
    default:
      if isInScalar { return false }
      isInScalar = true
      return beginValue()
    }
    return false
  }

  private mutating func takeInString(_ byte: UInt8) -> Bool {
    if isInName { nameBytes.append(byte) }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      guard isInName else { return false }
      isInName = false
      containers[containers.count - 1].name =
        (try? JSONDocument(nameBytes).root.string()) ?? String(decoding: nameBytes, as: UTF8.self)
      containers[containers.count - 1].awaitsName = false
    }
    return false
  }

  private mutating func beginValue() -> Bool {
    guard deeper == 0 else { return false }
    valueDepth = containers.count
    if let last = containers.last, !last.isObject { containers[containers.count - 1].index += 1 }
    return true
  }
}
