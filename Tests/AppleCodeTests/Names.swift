// swift-format-ignore-file: IdentifiersMustBeASCII

import SwiftData

// Names of other languages than English, as people write them.

// swift-format-ignore: OneCasePerLine
enum 色: String, Codable { case 赤, 青, зелёный }

struct Maße: Codable, Hashable {
  var länge: Double
  var breite: Double
}

@Model
final class Straße {
  #Unique<Straße>([\.имя])
  #Index<Straße>([\.größe.länge], [\.名前])

  var имя: String
  var 名前: String?
  var größe: Maße
  var цвет: 色 = 色.赤
  @Relationship(deleteRule: .cascade, inverse: \Häuser.straße) var häuser: [Häuser] = []

  init(имя: String, 名前: String? = nil, größe: Maße) {
    self.имя = имя
    self.名前 = 名前
    self.größe = größe
  }
}

@Model
final class Häuser {
  var número: Int
  var straße: Straße?

  init(número: Int) { self.número = número }
}

enum NamenV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Größe.self] }

  @Model
  final class Größe {
    var länge: Double
    init(länge: Double) { self.länge = länge }
  }
}

enum NamenV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Größe.self] }

  @Model
  final class Größe {
    @Attribute(originalName: "länge") var 長さ: Double
    var überschrift: String = ""
    init(長さ: Double) { self.長さ = 長さ }
  }
}

enum NamenPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NamenV1.self, NamenV2.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: NamenV1.self, toVersion: NamenV2.self)]
  }
}
