import SwiftData

/// The first version.
enum EvolutionShort {
  struct Content: Codable, EvolvingValue {
    var a: Int
    var b: String

    static var names: Set<EvolvingParts.Name> { [.a, .b] }
    init(_ parts: EvolvingParts) { (a, b) = (parts.a, parts.b) }
    var parts: EvolvingParts { EvolvingParts(a: a, b: b) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    var content: Content
    var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}

/// A version with the parts in another order.
enum EvolutionTurned {
  struct Content: Codable, EvolvingValue {
    var b: String
    var a: Int

    static var names: Set<EvolvingParts.Name> { [.a, .b] }
    init(_ parts: EvolvingParts) { (a, b) = (parts.a, parts.b) }
    var parts: EvolvingParts { EvolvingParts(a: a, b: b) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    var content: Content
    var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}

/// A version with a part between others.
enum EvolutionGrown {
  struct Content: Codable, EvolvingValue {
    var a: Int
    var mid: Int?
    var b: String

    static var names: Set<EvolvingParts.Name> { [.a, .b, .mid] }
    init(_ parts: EvolvingParts) { (a, mid, b) = (parts.a, parts.mid, parts.b) }
    var parts: EvolvingParts { EvolvingParts(a: a, b: b, mid: mid) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    var content: Content
    var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}

/// A version with a part that may be missing.
enum EvolutionTolerant {
  struct Content: Codable, EvolvingValue {
    var mid: Int?
    var note: String
    var b: String
    var a: Int

    static var names: Set<EvolvingParts.Name> { Set(EvolvingParts.Name.allCases) }
    init(_ parts: EvolvingParts) {
      (a, b, mid, note) = (parts.a, parts.b, parts.mid, parts.note)
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      mid = try container.decodeIfPresent(Int.self, forKey: .mid)
      note = try container.decodeIfPresent(String.self, forKey: .note) ?? "n"
      b = try container.decode(String.self, forKey: .b)
      a = try container.decode(Int.self, forKey: .a)
    }

    var parts: EvolvingParts { EvolvingParts(a: a, b: b, mid: mid, note: note) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    var content: Content
    var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}

/// A version with another name for a part, and one that isn't stored.
enum EvolutionRenamed {
  struct Content: Codable, EvolvingValue {
    var text: String
    var cache = 3
    var a: Int

    enum CodingKeys: String, CodingKey {
      case text = "b"
      case a
    }

    static var names: Set<EvolvingParts.Name> { [.a, .b] }
    init(_ parts: EvolvingParts) { (a, text) = (parts.a, parts.b) }
    var parts: EvolvingParts { EvolvingParts(a: a, b: text) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    var content: Content
    var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}

/// A version that is stored in one piece.
enum EvolutionWhole {
  final class Content: Codable, EvolvingValue {
    let mid: Int?
    let note: String
    let b: String
    let a: Int

    static var names: Set<EvolvingParts.Name> { Set(EvolvingParts.Name.allCases) }
    init(_ parts: EvolvingParts) {
      (a, b, mid, note) = (parts.a, parts.b, parts.mid, parts.note)
    }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      mid = try container.decodeIfPresent(Int.self, forKey: .mid)
      note = try container.decodeIfPresent(String.self, forKey: .note) ?? "n"
      b = try container.decode(String.self, forKey: .b)
      a = try container.decode(Int.self, forKey: .a)
    }

    var parts: EvolvingParts { EvolvingParts(a: a, b: b, mid: mid, note: note) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    var content: Content
    var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}

/// A version that is marked to be stored in one piece.
enum EvolutionOpaque {
  struct Content: Codable, EvolvingValue {
    var a: Int
    var b: String
    var mid: Int?

    static var names: Set<EvolvingParts.Name> { [.a, .b, .mid] }
    init(_ parts: EvolvingParts) { (a, mid, b) = (parts.a, parts.mid, parts.b) }
    var parts: EvolvingParts { EvolvingParts(a: a, b: b, mid: mid) }
  }

  @Model final class Item: EvolvingItem {
    var key: Int
    @Attribute(.codable) var content: Content
    @Attribute(.codable) var spare: Content?
    init(_ key: Int, _ content: Content, _ spare: Content?) {
      self.key = key
      self.content = content
      self.spare = spare
    }
  }
}
