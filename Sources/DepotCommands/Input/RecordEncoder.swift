internal import DepotProtocol

/// The conversion of imported records into rows of an entity.
struct RecordEncoder {
  /// The indexes of the attributes that the last encoded row has values for.
  private(set) var present: [Int] = []
  /// Whether unknown members of records are left out.
  private let ignoresUnknown: Bool
  /// Whether missing attributes get their default, or else null.
  ///
  /// All rows then have the same columns.
  var fillsAbsent: Bool
  private let entity: Entity
  private let names: [[UInt8]]
  private let substitutes: [[UInt8]]
  /// The conversion of each attribute's values.
  private let kinds: [RecordValue]
  private var places: [Range<Int>?]
  private var tokens: [JSONToken] = []

  init(_ entity: Entity, ignoresUnknown: Bool, fillsAbsent: Bool) {
    self.entity = entity
    self.ignoresUnknown = ignoresUnknown
    self.fillsAbsent = fillsAbsent
    names = entity.attributes.map { Array($0.name.utf8) }
    substitutes = entity.attributes.map { attribute in
      JSONWriter.bytes { $0.write(attribute.defaultValue ?? .null) }
    }
    kinds = entity.attributes.map(RecordValue.init)
    places = Array(repeating: nil, count: names.count)
    if fillsAbsent { present = Array(names.indices) }
  }

  /// The names of the attributes that the last row has values for.
  var columns: [String] { present.map { entity.attributes[$0].name } }

  /// Appends a JSON object as a row, from `[` to `]`.
  ///
  /// - Throws: ``DepotError`` `protocol.json`, `request.type`, `schema.unknown_attribute`; nothing
  ///   is appended then.
  mutating func append(
    object bytes: UnsafeBufferPointer<UInt8>,
    to output: inout [UInt8]
  ) throws(DepotError) {
    try readMembers(bytes)
    if !fillsAbsent { present = places.indices.filter { places[$0] != nil } }
    output.append(UInt8(ascii: "["))
    for (position, index) in present.enumerated() {
      if position > 0 { output.append(UInt8(ascii: ",")) }
      if let place = places[index] {
        let text = UnsafeBufferPointer(rebasing: bytes[place])
        if let exact = kinds[index].exact(text) {
          output.append(contentsOf: exact)
        } else {
          output.append(contentsOf: text)
        }
      } else {
        output.append(contentsOf: substitutes[index])
      }
    }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func readMembers(_ bytes: UnsafeBufferPointer<UInt8>) throws(DepotError) {
    let reused = tokens
    tokens = []
    do throws(JSONError) {
      tokens = try JSONScanner.scan(bytes, reusing: reused)
    } catch {
      throw Self.jsonError(error, in: bytes)
    }
    guard tokens[0].kind == .object else {
      throw DepotError(.type, "A record is a JSON object, not \(tokens[0].kind).")
    }
    for index in places.indices { places[index] = nil }
    var child = 1
    var guess = 0
    while child < Int(tokens[0].next) {
      let value = tokens[child + 1]
      if let index = try find(tokens[child], in: bytes, from: guess) {
        guess = index + 1
        guard places[index] == nil else {
          throw DepotError(.usage, "\"\(entity.attributes[index].name)\" is named twice.")
        }
        let place = try place(of: value, attribute: entity.attributes[index])
        let text = UnsafeBufferPointer(rebasing: bytes[place])
        if let error = JSONDepth.error(of: text) { throw error.at(entity.attributes[index].name) }
        places[index] = place
      }
      child = Int(value.next)
    }
  }

  /// Returns the index of the attribute of a name; members tend to be in the schema's order.
  private func find(
    _ name: JSONToken,
    in bytes: UnsafeBufferPointer<UInt8>,
    from guess: Int
  ) throws(DepotError) -> Int? {
    let text = UnsafeBufferPointer(rebasing: bytes[Int(name.start)..<Int(name.end)])
    for offset in names.indices {
      let index = (guess + offset) % names.count
      if text.count == names[index].count, text.elementsEqual(names[index]) { return index }
    }
    let string = JSONText.string(name, in: bytes)
    if let index = entity.attributes.firstIndex(where: { $0.name == string }) { return index }
    // The identifier and version of a row in another store have no meaning here.
    if ignoresUnknown || string == "$id" || string == "$version" { return nil }
    throw entity.unknownAttribute(string)
  }

  private func place(of value: JSONToken, attribute: Attribute) throws(DepotError) -> Range<Int> {
    let takesObject = attribute.type == .date || attribute.type == .json
    let takesArray = attribute.collection != nil || attribute.type == .json
    if value.kind == .array && !takesArray || value.kind == .object && !takesObject {
      throw DepotError(
        .type,
        "\"\(attribute.name)\" takes a value of type \(attribute.type.rawValue), not \(value.kind)."
      )
    }
    let quote = value.kind == .string ? 1 : 0
    return Int(value.start) - quote..<Int(value.end) + quote
  }

  private static func jsonError(
    _ error: JSONError,
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> DepotError {
    var result = DepotError(error, in: bytes)
    result.message = result.message.replacing("The frame", with: "The record")
    return result
  }
}
