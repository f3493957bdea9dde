import SwiftData

// Versions of a program whose property `value` has other types, and what each makes of one number.

/// A structure with columns of its own.
enum FormParts {
  struct Value: Codable {
    var a: Int
    var b: String

    init(_ number: Int) { (a, b) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A structure with a lazy property.
enum FormLazy {
  struct Value: Codable {
    var a: Int
    var b: String
    lazy var length = b.count

    enum CodingKeys: CodingKey {
      case a, b
    }

    init(_ number: Int) { (a, b) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A structure with a wrapped property.
enum FormWrapped {
  @propertyWrapper struct Trimmed: Codable {
    var wrappedValue: String

    init(wrappedValue: String) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws {
      wrappedValue = try decoder.singleValueContainer().decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  struct Value: Codable {
    var a: Int
    @Trimmed var b: String

    init(_ number: Int) {
      a = number
      b = "\(number)"
    }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A structure with a private part that isn't coded.
enum FormSecret {
  struct Value: Codable {
    var a: Int
    var b: String
    private var cache: [Int: String] = [:]

    private enum CodingKeys: CodingKey {
      case a, b
    }

    init(_ number: Int) {
      (a, b) = (number, "\(number)")
      cache[number] = b
    }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A structure that nests deeper than columns do.
enum FormDeep {
  struct Leaf: Codable {
    var x: Int
  }
  struct Twig: Codable {
    var leaf: Leaf
  }
  struct Branch: Codable {
    var twig: Twig
  }
  struct Bough: Codable {
    var branch: Branch
  }

  struct Value: Codable {
    var a: Int
    var b: String
    var bough: Bough?

    init(_ number: Int) {
      (a, b) = (number, "\(number)")
      bough = Bough(branch: Branch(twig: Twig(leaf: Leaf(x: number))))
    }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A class.
enum FormClass {
  final class Value: Codable {
    let a: Int
    let b: String

    init(_ number: Int) { (a, b) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A structure with keys of its own.
enum FormKeys {
  struct Value: Codable {
    var a: Int
    var text: String

    enum CodingKeys: String, CodingKey {
      case a
      case text = "b"
    }

    init(_ number: Int) { (a, text) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.text == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A structure that is marked to be stored as a whole.
enum FormOpaque {
  struct Value: Codable {
    var a: Int
    var b: String

    init(_ number: Int) { (a, b) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    @Attribute(.codable) var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { $0.b == "\($0.a)" ? $0.a : nil } }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// A list of structures.
enum FormList {
  @Model final class Item: FormItem {
    var key: Int
    var value: [FormParts.Value]?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value?.first?.a }
      set { value = newValue.map { [FormParts.Value($0)] } }
    }
  }
}

/// A text.
enum FormText {
  @Model final class Item: FormItem {
    var key: Int
    var value: String?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.flatMap { Int($0) } }
      set { value = newValue.map { "\($0)" } }
    }
  }
}

/// A number.
enum FormNumber {
  @Model final class Item: FormItem {
    var key: Int
    var value: Int?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value }
      set { value = newValue }
    }
  }
}

/// An object of another class.
enum FormLink {
  @Model final class Value {
    var a: Int
    var b: String

    init(_ number: Int) { (a, b) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: Value?

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value?.a }
      set { value = newValue.map { Value($0) } }
    }
  }
}

/// Objects of another class.
enum FormLinks {
  @Model final class Value {
    var a: Int
    var b: String

    init(_ number: Int) { (a, b) = (number, "\(number)") }
  }

  @Model final class Item: FormItem {
    var key: Int
    var value: [Value] = []

    init(_ key: Int) { self.key = key }

    var number: Int? {
      get { value.first?.a }
      set { value = newValue.map { [Value($0)] } ?? [] }
    }
  }
}
