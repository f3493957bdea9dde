import SwiftData

// Values of every kind that people store.

// People write all cases on one line.
// swift-format-ignore: OneCasePerLine
enum Priority: Int, Codable, CaseIterable, Comparable {
  case low = 0, normal, high
  static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

enum Status: String, Codable { case open, closed }

enum Mood: Codable, Equatable { case calm, stormy }

enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square(side: Double)
}

struct Address: Codable, Hashable {
  var street: String
  var city: String
  var zip: String?
}

struct Size: Codable, Hashable { var width: Double = 0, height: Double = 0 }

@Model
public final class Everything {
  #Index<Everything>([\.number], [\.text, \.date])
  #Unique<Everything>([\.uuid])

  public var id: UUID = UUID()
  var uuid: UUID
  var text: String = "plain"
  var optionalText: String?
  var number: Int = 42
  var small: Int16 = 7
  var unsigned: UInt32 = 9
  var ratio: Double = 0.5
  var single: Float = 1.5
  var flag: Bool = false
  var date: Date = Date(timeIntervalSinceReferenceDate: 0)
  var money: Decimal = 9.99
  var link: URL?
  @Attribute(.externalStorage) var photo: Data?
  var priority: Priority = Priority.normal
  var status: Status
  var mood = Mood.calm
  var shape: Shape?
  var home: Address
  var work: Address?
  var size: Size = Size(width: 1, height: 2)
  var labels: [String] = []
  var numbers: [Int] = [1, 2, 3]
  var priorities: [Priority] = []
  var addresses: [Address] = []
  var dictionary: [String: Int] = [:]
  var unique: Set<String> = []
  @Attribute(.ephemeral) var scratch: Int = 0
  @Attribute(.transformable(by: ColorTransformer.self)) var color: Color
  @Attribute(originalName: "old_name") var renamed: String = ""
  private(set) var counter: Int = 0

  public init(uuid: UUID = UUID(), home: Address2 = Address2(), status: Int = 0) {
    self.uuid = uuid
    self.home = Address(street: home.street, city: "Kyiv")
    self.status = status == 0 ? .open : .closed
    color = Color(red: 1, green: 0, blue: 0)
  }

  func count() { counter += 1 }
}

public struct Address2 {
  public var street = "Main"
  public init() {}
}

final class Color: NSObject {
  let red: Double, green: Double, blue: Double
  init(red: Double, green: Double, blue: Double) {
    self.red = red
    self.green = green
    self.blue = blue
  }
}

final class ColorTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { Color.self }
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    guard let color = value as? Color else { return nil }
    return Data("\(color.red),\(color.green),\(color.blue)".utf8)
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    let parts = String(decoding: data, as: UTF8.self).split(separator: ",").compactMap {
      Double($0)
    }
    return Color(red: parts[0], green: parts[1], blue: parts[2])
  }
}
