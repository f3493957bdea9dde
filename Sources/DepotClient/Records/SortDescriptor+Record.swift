public import DepotClientCore
public import FoundationEssentials
public import FoundationInternationalization

extension SortDescriptor where Compared: Record {
  /// Sorts by a truth value, false first.
  public init(
    _ keyPath: any KeyPath<Compared, Bool> & Sendable,
    order: SortOrder = .forward
  ) {
    self.init(\Compared.[falseFirst: SortedBy(keyPath: keyPath)], order: order)
  }

  /// Sorts by a truth value that may be missing, nil first and false before true.
  public init(
    _ keyPath: any KeyPath<Compared, Bool?> & Sendable,
    order: SortOrder = .forward
  ) {
    self.init(\Compared.[falseFirst: SortedBy(keyPath: keyPath)], order: order)
  }

  /// Sorts text as people expect it: without regard to case and marks first, and `9` before `10`.
  ///
  /// It is Foundation's `.localizedStandard`, which Linux lacks.
  public init(
    localized keyPath: any KeyPath<Compared, String> & Sendable,
    order: SortOrder = .forward
  ) {
    self.init(\Compared.[localized: SortedBy(keyPath: keyPath)], order: order)
  }

  /// Sorts text that may be missing as people expect it, nil first.
  public init(
    localized keyPath: any KeyPath<Compared, String?> & Sendable,
    order: SortOrder = .forward
  ) {
    self.init(\Compared.[localized: SortedBy(keyPath: keyPath)], order: order)
  }
}

/// A property to be sorted by, which Foundation's descriptors can't compare as wanted.
// because it is made of key paths that are, or only compared with such:
struct SortedBy<Model, Content>: Hashable, @unchecked Sendable {
  let keyPath: KeyPath<Model, Content>
}

extension Record {
  subscript(falseFirst value: SortedBy<Self, Bool>) -> Int { self[keyPath: value.keyPath] ? 1 : 0 }

  subscript(falseFirst value: SortedBy<Self, Bool?>) -> Int? {
    self[keyPath: value.keyPath].map { $0 ? 1 : 0 }
  }

  subscript(localized value: SortedBy<Self, String>) -> LocalizedText {
    LocalizedText(self[keyPath: value.keyPath])
  }

  subscript(localized value: SortedBy<Self, String?>) -> LocalizedText? {
    self[keyPath: value.keyPath].map(LocalizedText.init)
  }
}

/// Text in about the order in which the service sorts localized text, which knows of marks too.
struct LocalizedText: Comparable {
  private let text: String
  private let folded: [Part]

  /// A number of any length, or a character.
  private enum Part: Comparable {
    case number(length: Int, digits: String)
    case text(Character)
  }

  init(_ text: String) {
    self.text = text
    var parts: [Part] = []
    var digits = ""
    func endNumber() {
      guard !digits.isEmpty else { return }
      let significant = String(digits.drop { $0 == "0" })
      parts.append(.number(length: significant.count, digits: significant))
      digits = ""
    }
    for character in text.lowercased() {
      if character.isASCII, character.isNumber {
        digits.append(character)
      } else {
        endNumber()
        parts.append(.text(character))
      }
    }
    endNumber()
    folded = parts
  }

  static func == (left: LocalizedText, right: LocalizedText) -> Bool { left.text == right.text }

  static func < (left: LocalizedText, right: LocalizedText) -> Bool {
    if left.folded == right.folded { return left.text < right.text }
    return left.folded.lexicographicallyPrecedes(right.folded)
  }
}
