internal import DepotProtocol

/// The parts that a structure encodes itself as, found by trying it with values that differ.
struct PartsShape<Content: Codable> {
  /// The properties that are encoded, with the names of their parts.
  let fields: [CompositeField]
  /// The properties that aren't encoded, if no part has their name.
  let left: [String]
  /// Whether the structure is encoded as by the compiler's own conformance.
  let isSynthesized: Bool
  /// The columns of the values that required parts have when they are missing, by the places of their properties.
  let defaults: [Int: [Value]]
  /// Why such a value can't be stored, by the place of its property.
  let badDefaults: [Int: any Error]
  /// A value that the structure was decoded as.
  let sample: Content

  /// Returns `nil` if the structure doesn't encode its properties as parts, each by itself and as it is.
  init?(_: Content.Type, _ all: [CompositeField]) {
    let fillings: [(Int) -> Filling] =
      [{ .distinct($0) }] + ([.none] + Filling.some).map { filling in { _ in filling } }
    let found = fillings.lazy.compactMap { filling in
      PartsTrial<Content>(nil, filling).map { ($0, filling) }
    }.first
    guard let (first, filling) = found, !first.parts.isEmpty else { return nil }
    let names = Set(first.parts.keys)
    let optionals = Set(all.filter(\.isOptional).map(\.name))
    var isSynthesized = true
    var trials: [PartsTrial<Content>] = []
    for round in 0..<4 {
      let trial = PartsTrial<Content>(names) { round < 3 ? .distinct($0 >> round) : .none }
      guard let trial else {
        isSynthesized = false
        continue
      }
      guard names.isSuperset(of: trial.parts.keys) else { return nil }
      if Set(trial.given.keys) != names || trial.doubted != optionals { isSynthesized = false }
      trials.append(trial)
    }
    guard let fields = Self.fields(all, names, trials.isEmpty ? [first] : trials) else {
      return nil
    }
    let tolerated = fields.filter { field in
      !field.isOptional && PartsTrial<Content>(names.subtracting([field.name]), filling) != nil
    }
    var defaults: [Int: [Value]] = [:]
    var badDefaults: [Int: any Error] = [:]
    for field in tolerated {
      let contents = (0..<2).compactMap { _ in
        PartsTrial<Content>(names.subtracting([field.name]), filling)?.content
      }
      guard contents.count == 2 else { continue }
      do {
        let values = try contents.map { try field.codec.values(field.value(of: $0)) }
        // One that is another each time is none.
        let isOneValue = zip(values[0], values[1]).allSatisfy { $0.isIdentical(to: $1) }
        if isOneValue { defaults[field.position] = values[0] }
      } catch {
        badDefaults[field.position] = error
      }
    }
    self.fields = fields
    self.defaults = defaults
    self.badDefaults = badDefaults
    left = all.filter { field in
      !field.isSecret && !names.contains(field.property) && !fields.contains { $0 === field }
    }.map(\.property)
    self.isSynthesized =
      isSynthesized && tolerated.isEmpty && fields.count == all.count
      && fields.allSatisfy { $0.name == $0.property }
    sample = first.content
  }

  /// Returns the property of each part, in the order of the properties; `nil` if a part isn't just one.
  private static func fields(
    _ all: [CompositeField],
    _ names: Set<String>,
    _ trials: [PartsTrial<Content>]
  ) -> [CompositeField]? {
    var candidates: [String: [CompositeField]] = [:]
    for name in names {
      candidates[name] = all.filter { field in
        trials.allSatisfy { $0.has(field, as: name) }
      }
    }
    var result: [CompositeField] = []
    func take(_ field: CompositeField, _ name: String) {
      field.name = name
      result.append(field)
      candidates[name] = nil
      for name in candidates.keys { candidates[name]?.removeAll { $0 === field } }
    }
    for field in all where candidates[field.property]?.contains(where: { $0 === field }) == true {
      take(field, field.property)
    }
    while let (name, fields) = candidates.first(where: { $0.value.count == 1 }) {
      take(fields[0], name)
    }
    return candidates.isEmpty ? result.sorted { $0.position < $1.position } : nil
  }
}

/// A value decoded from made-up parts, and its encoding.
private struct PartsTrial<Content: Codable> {
  let content: Content
  /// The decoded values, by the names of the parts.
  let given: [String: Any]
  /// The parts whose presence the structure asked about.
  let doubted: Set<String>
  /// The encoded values, by the names of the parts.
  let parts: [String: Any]

  /// Decodes and encodes a value; `nil` if the structure refuses that, or isn't an object of parts.
  ///
  /// - Parameters:
  ///   - names: The parts that there are; all that are asked for if `nil`.
  ///   - filling: Returns the content of the part with a number, counted from 1.
  init?(_ names: Set<String>?, _ filling: @escaping (Int) -> Filling) {
    var numbers: [String: Int] = [:]
    for (index, name) in (names ?? []).sorted().enumerated() { numbers[name] = index + 1 }
    var given: [String: Any] = [:]
    let decoder = PartsDecoder(names) { type, name in
      if let known = given[name] { return known }
      let number = numbers[name] ?? numbers.count + 1
      numbers[name] = number
      given[name] = type.made(of: filling(number))
      return given[name]
    }
    guard let content = try? Content(from: decoder),
      let parts = (try? PartsEncoder.parts(of: content)) ?? nil
    else { return nil }
    self.content = content
    self.given = given
    doubted = decoder.doubted
    self.parts = Dictionary(first: parts.map { ($0.name, $0.value) })
    if self.parts.count < parts.count { return nil }
  }

  /// Whether a part equals the property in memory, both decoded and encoded.
  func has(_ field: CompositeField, as name: String) -> Bool {
    let value = field.value(of: content)
    if let given = given[name], !field.codec.areEqual(given, value) { return false }
    guard let part = parts[name] else { return isNil(value) }
    return field.codec.areEqual(part, value)
  }
}

extension Decodable {
  fileprivate static func made(of filling: Filling) -> Any? {
    Placeholder.of(Self.self, filling) ?? Placeholder.lastResort(Self.self)
  }
}
