internal import DepotProtocol
internal import FoundationEssentials

/// The kinds of values that a member of records was seen to have.
final class ValueProfile {
  /// How many values weren't null.
  private(set) var count = 0
  private var bools = 0
  private var integers = 0
  /// Whole numbers beyond 64 bits.
  private var large = 0
  private var doubles = 0
  private var texts = 0
  private var dates = 0
  private var uuids = 0
  private var lists = 0
  private var objects = 0
  /// Whether there was a value that no type but JSON holds.
  private var isOther = false
  private var elements: ValueProfile?
  /// The members of objects, in the order in which they came first.
  private(set) var members: [(name: String, profile: ValueProfile)] = []
  private var places: [String: Int] = [:]
  /// The different values, as long as none came twice.
  private var different: Set<String>? = []

  /// Whether all values are different texts, whole numbers, or UUIDs.
  var isKey: Bool { different != nil && count > 1 && integers + texts == count }

  /// Adds a value of JSON.
  func add(_ node: JSONNode) throws(DepotError) {
    guard !node.isNull else { return }
    count += 1
    switch node.kind {
    case .true, .false: bools += 1
    case .number:
      if !node.isComplex, (try? node.int64()) != nil {
        addInteger(String(decoding: node.document.bytes[node.range], as: UTF8.self))
      } else if !node.isComplex, (try? node.value(as: .decimal)) != nil {
        large += 1
      } else if (try? node.double()) != nil {
        doubles += 1
      } else {
        isOther = true
      }
    case .string: addText(try node.string())
    case .array:
      lists += 1
      let profile = elements ?? ValueProfile()
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

  /// Adds a field of CSV that isn't null.
  func add(text: String) throws(DepotError) {
    if text.first == "[", let document = try? JSONDocument(Array(text.utf8)) {
      return try add(document.root)
    }
    count += 1
    if text == "true" || text == "false" {
      bools += 1
    } else if Int64(text).map({ "\($0)" == text }) == true {
      addInteger(text)
    } else if let first = text.utf8.first, UInt8(ascii: "1")...UInt8(ascii: "9") ~= first,
      text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), DecimalText.parse(text) != nil
    {
      large += 1
    } else if Self.isDouble(text) {
      doubles += 1
    } else {
      addText(text)
    }
  }

  /// Counts an object of which the members come by their paths.
  func addObject() {
    count += 1
    objects += 1
  }

  /// Returns the profile of a member.
  func member(_ name: String) -> ValueProfile {
    if let place = places[name] { return members[place].profile }
    let profile = ValueProfile()
    places[name] = members.count
    members.append((name, profile))
    return profile
  }

  private func addInteger(_ text: String) {
    integers += 1
    note(text)
  }

  private func addText(_ text: String) {
    texts += 1
    if DateText.exact(text.utf8).flatMap({ DateText.parse($0.utf8) }) != nil { dates += 1 }
    if UUID(uuidString: text) != nil { uuids += 1 }
    note(text)
  }

  private func note(_ text: String) {
    if different?.insert(text).inserted == false { different = nil }
  }

  private static func isDouble(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last,
      first == UInt8(ascii: "-") || 0x30...0x39 ~= first, 0x30...0x39 ~= last,
      !text.hasPrefix("0") || text.hasPrefix("0."), !text.hasPrefix("-0") || text.hasPrefix("-0.")
    else { return false }
    return Double(text)?.isFinite == true && !text.lowercased().contains("x")
  }
}

extension ValueProfile {
  /// How deep composites may be nested.
  private static let depth = 4
  /// How many members objects have that are composites; those with more are dictionaries.
  private static let memberCount = 64

  /// Describes the attribute that holds all values, of type JSON if there is no narrower one.
  ///
  /// There could be `total` values, inside of `depth` composites. In CSV, those that differ in type are texts.
  func attribute(
    _ name: String,
    of total: Int,
    isText: Bool,
    depth: Int = 0,
    rename: ([String]) -> [String]
  ) -> Attribute {
    var attribute = Attribute(name: name, type: .json, isOptional: count < total)
    // Exports write whether a composite is there beside its parts.
    if bools + objects == count, isComposite(depth) {
      attribute.type = .composite
      attribute.isOptional = objects < total
      let names = rename(members.map(\.name))
      attribute.properties = zip(names, members).map { name, member in
        member.profile.attribute(
          name,
          of: objects,
          isText: isText,
          depth: depth + 1,
          rename: rename
        )
      }
    } else if lists == count, count > 0, let elements, let type = elements.scalar(isText) {
      attribute.type = type
      attribute.collection = .array
    } else if let type = scalar(isText), count > 0 || isText {
      attribute.type = type
    } else if count == 0 || isText && lists < count {
      // A text may be anything, but isn't always JSON.
      attribute.type = .string
    }
    return attribute
  }

  private func isComposite(_ depth: Int) -> Bool {
    objects > 0 && depth < Self.depth && 1...Self.memberCount ~= members.count
  }

  /// The type of values that are neither objects nor lists; `nil` if there is none for all.
  private func scalar(_ isText: Bool) -> AttributeType? {
    if isOther || lists + objects > 0 { return nil }
    switch count {
    case bools where bools > 0: return .bool
    case integers where integers > 0: return .int64
    case integers + large where large > 0: return .decimal
    case integers + large + doubles where doubles > 0: return .double
    case texts:
      return count > 0 && dates == count ? .date : count > 0 && uuids == count ? .uuid : .string
    default: return isText ? .string : nil
    }
  }
}
