internal import DepotProtocol
internal import FoundationEssentials

/// The kinds of values found for a member of records.
final class ValueProfile {
  /// The number of values that weren't null.
  private(set) var count = 0
  private var bools = 0
  private var integers = 0
  /// Numbers that a double can't hold exactly.
  private var decimals = 0
  private var doubles = 0
  private var texts = 0
  private var dates = 0
  private var uuids = 0
  private var lists = 0
  private var objects = 0
  /// Whether there was a value that only JSON can hold.
  private var isOther = false
  /// Whether there was an integer that a double may not hold exactly.
  private var hasWide = false
  /// Whether there was a number beyond decimals.
  private var isBeyondDecimal = false
  /// The marks that numbers in CSV are codes.
  private var marks = CodeMarks()
  private var elements: ValueProfile?
  /// Whether these are values within lists; dates there are recognized in one form only.
  private let isElement: Bool
  /// The members of objects, in the order of their first occurrence.
  private(set) var members: [(name: String, profile: ValueProfile)] = []
  private var places: [String: Int] = [:]
  /// The hashes of the values while all are distinct; `nil` if uniqueness doesn't matter.
  private var different: Set<Int>?
  /// The number of the record whose object was last counted.
  private var lastRecord = 0

  /// Creates a profile of values, which may be keys.
  init(mayBeKey: Bool = false, isElement: Bool = false) {
    self.isElement = isElement
    different = mayBeKey ? [] : nil
  }

  /// Whether all values are distinct texts, integers, or UUIDs.
  var isKey: Bool { different != nil && count > 1 && integers + texts == count }

  /// Adds a value of JSON.
  func add(_ node: JSONNode) throws(DepotError) {
    guard !node.isNull else { return }
    count += 1
    switch node.kind {
    case .true, .false: bools += 1
    case .number:
      let isKnown = node.document.bytes[node.range].withUnsafeBufferPointer(addNumber)
      if !isKnown { isOther = true }
    case .string:
      let text = try node.string()
      addText(Array(text.utf8))
    case .array:
      lists += 1
      let profile = elements ?? ValueProfile(isElement: true)
      elements = profile
      for element in try node.elements() {
        if element.isNull { profile.isOther = true }
        try profile.add(element)
      }
    case .object:
      objects += 1
      for (name, value) in try node.members() { try member(try name.string()).add(value) }
    default: break
    }
  }

  /// Adds a field of CSV, which is UTF-8 and not null.
  func add(text: [UInt8]) throws(DepotError) {
    if text.first == UInt8(ascii: "["), let document = try? JSONDocument(text) {
      return try add(document.root)
    }
    count += 1
    if text.count == 4 || text.count == 5,
      case let word = text.map({ $0 | 0x20 }), word == Self.trueText || word == Self.falseText
    {
      bools += 1
    } else if !text.withUnsafeBufferPointer(addNumber) {
      addText(text)
    } else if text.contains(where: { ".eE".utf8.contains($0) }) {
      marks.add(text)
    }
  }

  private static let trueText = Array("true".utf8)
  private static let falseText = Array("false".utf8)

  /// Counts a record's object by the record's number.
  ///
  /// Its members are counted by their own paths.
  func addObject(_ record: Int) {
    guard lastRecord != record else { return }
    lastRecord = record
    count += 1
    objects += 1
  }

  /// Whether all values are objects, or truth values that tell whether there is one.
  var isOnlyObjects: Bool { bools + objects == count }

  /// Returns the profile without the objects, whose members have columns of their own.
  func withoutObjects() -> ValueProfile {
    count -= objects
    objects = 0
    members = []
    places = [:]
    return self
  }

  /// Returns the profile of a member, which may be a key.
  func member(_ name: String, mayBeKey: Bool = false) -> ValueProfile {
    if let place = places[name] { return members[place].profile }
    let profile = ValueProfile(mayBeKey: mayBeKey)
    places[name] = members.count
    members.append((name, profile))
    return profile
  }

  /// Adds a number; returns `false` if no type holds it.
  private func addNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    switch NumberKind(text) {
    case nil: return false
    case .integer(let isWide)?:
      integers += 1
      if isWide { hasWide = true }
      if different != nil { note(text) }
    case .decimal?: decimals += 1
    case .double(let isDecimal)?:
      doubles += 1
      if !isDecimal { isBeyondDecimal = true }
    }
    return true
  }

  private func addText(_ text: [UInt8]) {
    // One text that isn't a date decides for all.
    if dates == texts, isDate(text) { dates += 1 }
    if uuids == texts, text.count == 36,
      UUID(uuidString: String(decoding: text, as: UTF8.self)) != nil
    {
      uuids += 1
    }
    texts += 1
    if different != nil { text.withUnsafeBufferPointer(note) }
  }

  private func isDate(_ text: [UInt8]) -> Bool {
    guard let first = text.first, first &- 0x30 < 10 else { return false }
    if isElement { return DateText.parse(text) != nil }
    return DateText.exact(text).flatMap { DateText.parse($0.utf8) } != nil
  }

  private func note(_ text: UnsafeBufferPointer<UInt8>) {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(text))
    if different?.insert(hasher.finalize()).inserted == false { different = nil }
  }
}

extension ValueProfile {
  /// The maximal nesting of composites.
  private static let depth = 4
  /// The maximal number of a composite's members; objects with more are dictionaries.
  private static let memberCount = 64

  /// Describes the attribute that holds all values, of type JSON if there is no narrower one.
  ///
  /// There can be up to `total` values, inside of `depth` composites. In CSV, values of different
  /// types are texts. `rename` returns the names in the schema of the members of an object.
  func attribute(
    _ name: String,
    of total: Int,
    isText: Bool,
    depth: Int = 0,
    rename: ([String], _ path: [String]) -> [String],
    path: [String]
  ) -> Attribute {
    var attribute = Attribute(name: name, type: .json, isOptional: count < total)
    // Exports write a composite's presence beside its parts.
    if isOnlyObjects, isComposite(depth) {
      attribute.type = .composite
      attribute.isOptional = objects < total
      let names = rename(members.map(\.name), path)
      attribute.properties = zip(names, members).map { name, member in
        member.profile.attribute(
          name,
          of: objects,
          isText: isText,
          depth: depth + 1,
          rename: rename,
          path: path + [member.name]
        )
      }
    } else if lists == count, count > 0, let elements, let type = elements.scalar(isText) {
      attribute.type = type
      attribute.collection = .array
    } else if let type = scalar(isText), count > 0 || isText {
      attribute.type = type
    } else if count == 0 || isText && lists < count {
      // Any text can be a string, but not any text is JSON.
      attribute.type = .string
    }
    return attribute
  }

  private func isComposite(_ depth: Int) -> Bool {
    objects > 0 && depth < Self.depth && 1...Self.memberCount ~= members.count
  }

  /// The type of values that are neither objects nor lists; `nil` if no type fits all.
  private func scalar(_ isText: Bool) -> AttributeType? {
    if isOther || lists + objects > 0 { return nil }
    let fractions = decimals + doubles
    let areCodes = marks.hasEqual || fractions > 0 && marks.bareExponents == fractions
    if areCodes { return .string }
    let isExact = decimals > 0 || hasWide && doubles > 0
    switch count {
    case bools where bools > 0: return .bool
    case integers where integers > 0: return .int64
    case integers + decimals + doubles where isExact && !isBeyondDecimal: return .decimal
    case integers + decimals + doubles where isExact && isText: return .string
    case integers + decimals + doubles where decimals + doubles > 0: return .double
    case texts:
      return count > 0 && dates == count ? .date : count > 0 && uuids == count ? .uuid : .string
    default: return isText ? .string : nil
    }
  }
}
