import CDepotJSON
import DepotProtocol
import TestSupport
import Testing

/// What json-c makes of a text.
private indirect enum Tree: Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string([UInt8])
  case array([Tree])
  case object([[UInt8]: Tree])
}

/// Our scanner held against json-c: what the scanner accepts, json-c must parse, to the same value.
@Suite struct JSONOracleTests {
  private let isKnownVersion = json_c_version_num() == 16 << 8

  /// Parses with json-c's default flags; returns `nil` if it refuses the text.
  private func parse(_ bytes: [UInt8]) throws -> Tree? {
    let tokener = try #require(json_tokener_new_ex(100))
    defer { json_tokener_free(tokener) }
    let text = (bytes + [0]).map(CChar.init(bitPattern:))
    let object = json_tokener_parse_ex(tokener, text, Int32(text.count))
    defer { json_object_put(object) }
    guard json_tokener_get_error(tokener) == json_tokener_success else { return nil }
    return tree(object)
  }

  private func tree(_ object: OpaquePointer?) -> Tree {
    switch json_object_get_type(object) {
    case json_type_boolean: return .bool(json_object_get_boolean(object) != 0)
    case json_type_int: return .int(json_object_get_int64(object))
    case json_type_double: return .double(json_object_get_double(object))
    case json_type_string:
      let count = Int(json_object_get_string_len(object))
      return .string(bytes(json_object_get_string(object), count))
    case json_type_array:
      let count = json_object_array_length(object)
      return .array((0..<count).map { tree(json_object_array_get_idx(object, $0)) })
    case json_type_object:
      var members: [[UInt8]: Tree] = [:]
      var iterator = json_object_iter_begin(object)
      var end = json_object_iter_end(object)
      while json_object_iter_equal(&iterator, &end) == 0 {
        let name = json_object_iter_peek_name(&iterator)
        let count = name.map { String(cString: $0).utf8.count } ?? 0
        members[bytes(name, count)] = tree(json_object_iter_peek_value(&iterator))
        json_object_iter_next(&iterator)
      }
      return .object(members)
    default: return .null
    }
  }

  private func bytes(_ text: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
    UnsafeBufferPointer(start: text, count: count).map(UInt8.init(bitPattern:))
  }

  /// What our reader makes of a text.
  private func ours(_ node: JSONNode) throws -> Tree {
    switch node.kind {
    case .null: return .null
    case .true, .false: return .bool(try node.bool())
    case .number:
      // json-c saturates what doesn't fit; we refuse it when it is read.
      let isNegative = node.document.bytes[node.range.lowerBound] == UInt8(ascii: "-")
      guard node.isComplex else { return .int((try? node.int64()) ?? (isNegative ? .min : .max)) }
      return .double((try? node.double()) ?? (isNegative ? -.infinity : .infinity))
    case .string: return .string(Array(try node.string().utf8))
    case .array: return .array(try node.elements().map(ours))
    case .object:
      var members: [[UInt8]: Tree] = [:]
      for (name, value) in try node.members() {
        members[Array(try name.string().utf8)] = try ours(value)
      }
      return .object(members)
    }
  }

  /// Whether a text has an escaped surrogate pair, some of which json-c turns into U+FFFD.
  private func hasEscapedSurrogate(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).lowercased().contains("\\ud")
  }

  @Test func `json-c parses every accepted vector to the same value`() throws {
    for name in try Vectors.names("json") where name.hasPrefix("y_") {
      let bytes = try Vectors.bytes("json/\(name)")
      let theirs = try #require(try parse(bytes), "json-c refuses \(name)")
      if hasEscapedSurrogate(bytes) { continue }
      #expect(try ours(JSONDocument(bytes).root) == theirs, "\(name)")
    }
  }

  @Test func `random texts mean the same to both`() throws {
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<3000 {
      let bytes = Array(jsonText { $0.write(generator.json(depth: 5)) }.utf8)
      let theirs = try #require(try parse(bytes))
      let same = try ours(JSONDocument(bytes).root) == theirs
      if !same { Issue.record("\(String(decoding: bytes, as: UTF8.self))") }
    }
  }

  @Test func `texts damaged at random that we accept, json-c accepts`() throws {
    var generator = SeededGenerator(seed: 8)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = Array(jsonText { $0.write(generator.json(depth: 3)) }.utf8)
      bytes[generator.pick(Array(bytes.indices))] = generator.pick(
        Array(#"0123abn"\,:[]{}-.eE +"#.utf8)
      )
      guard let document = try? JSONDocument(bytes), !hasEscapedSurrogate(bytes) else { continue }
      accepted += 1
      let theirs = try parse(bytes)
      let same = try ours(document.root) == theirs
      if !same {
        Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(String(describing: theirs))")
      }
    }
    #expect(accepted > 1000)
  }

  // The faults of json-c 0.16 because of which no string, name, or number is read with it.

  @Test func `json-c turns some escaped pairs into U+FFFD`() throws {
    guard isKnownVersion else { return }
    let replacement = Tree.string([0xEF, 0xBF, 0xBD])
    var faults = 0
    for value in UInt32(0x1_D700)..<0x1_E100 {
      let scalar = try #require(Unicode.Scalar(value))
      let units = String(scalar).utf16.map { "\\u" + String($0, radix: 16) }.joined()
      let theirs = try parse(Array("\"\(units)\"".utf8))
      if theirs == replacement { faults += 1 }
      #expect(theirs == replacement || theirs == .string(Array(String(scalar).utf8)))
      #expect(try JSONDocument(Array("\"\(units)\"".utf8)).root.string() == String(scalar))
    }
    #expect(faults > 0)
  }

  @Test func `json-c cuts a name at U+0000`() throws {
    guard isKnownVersion else { return }
    let text = Array(#"{"a\u0000b":1}"#.utf8)
    #expect(try parse(text) == .object([[0x61]: .int(1)]))
    #expect(scanError(text)?.reason == .nulInName)
  }

  @Test func `json-c saturates integers`() throws {
    guard isKnownVersion else { return }
    #expect(try parse(Array("-9223372036854775809".utf8)) == .int(.min))
    #expect(try parse(Array("99999999999999999999".utf8)) == .int(.max))
    #expect(throws: DepotError.self) {
      try JSONDocument(Array("99999999999999999999".utf8)).root.int64()
    }
  }

  @Test func `json-c keeps the last of two equal names`() throws {
    #expect(try parse(Array(#"{"a":1,"a":2}"#.utf8)) == .object([[0x61]: .int(2)]))
  }
}

extension SeededGenerator {
  /// Returns a document of at most `depth` levels.
  fileprivate mutating func json(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 1 ? 8 : 5), using: &self) {
    case 0: return .null
    case 1: return .bool(.random(using: &self))
    case 2: return .int64(int64())
    case 3:
      let value = double()
      return value.isFinite ? .double(value) : .double(0.5)
    case 4: return .string(string())
    case 5, 6:
      let count = Int.random(in: 0..<5, using: &self)
      return .array((0..<count).map { _ in json(depth: depth - 1) })
    default:
      var members: [String: JSONValue] = [:]
      for _ in 0..<Int.random(in: 0..<5, using: &self) {
        members[string().replacing("\0", with: "")] = json(depth: depth - 1)
      }
      return .object(members)
    }
  }
}
