import DepotClient
import DepotProtocol
import FoundationEssentials
import Testing

@Suite struct PredicateLoweringTests {
  private static let floor = 10
  private static let names = ["vim", "emacs"]
  private static let range = 1...5

  /// Each predicate with its JSON form on the wire.
  @Test(arguments: all)
  func `a predicate becomes an expression`(predicate: Predicate<Package>, json: String) throws {
    let request = try FetchRequest(Package.self, where: predicate)
    let expected = try Operation.fetch(where: json)
    #expect(request.predicate == expected)
  }

  private static let identifier: Identifier<Package>? = Identifier(42)
  private static let date = Date(timeIntervalSinceReferenceDate: 0)
  private static let nothing: String? = nil

  static let all: [(Predicate<Package>, String)] = [
    comparisons, unwrapping, logic, texts, memberships, optionals, arithmetic,
  ].flatMap { $0 }

  static let comparisons: [(Predicate<Package>, String)] = {
    let (floor, date, nothing, identifier) = (Self.floor, Self.date, Self.nothing, Self.identifier)
    return [
      (#Predicate { $0.name == "vim" }, #"{"==":[{"attribute":"name"},"vim"]}"#),
      (#Predicate { $0.name != "vim" }, #"{"!=":[{"attribute":"name"},"vim"]}"#),
      (#Predicate { $0.size < floor }, #"{"<":[{"attribute":"installedSize"},10]}"#),
      (
        #Predicate { $0.size <= 1 + floor }, #"{"<=":[{"attribute":"installedSize"},{"+":[1,10]}]}"#
      ),
      (#Predicate { $0.name == nothing ?? "vim" }, #"{"==":[{"attribute":"name"},"vim"]}"#),
      (#Predicate { 5 > $0.size }, #"{">":[5,{"attribute":"installedSize"}]}"#),
      (#Predicate { $0.size >= floor }, #"{">=":[{"attribute":"installedSize"},10]}"#),
      (#Predicate { $0.section == nil }, #"{"==":[{"attribute":"section"},null]}"#),
      (#Predicate { $0.section == nothing }, #"{"==":[{"attribute":"section"},null]}"#),
      (#Predicate { $0.id == identifier }, #"{"==":[{"attribute":"$id"},42]}"#),
      (#Predicate { $0.version > 1 }, #"{">":[{"attribute":"$version"},1]}"#),
      (
        #Predicate { $0.built < date },
        #"{"<":[{"attribute":"built"},{"value":"2001-01-01T00:00:00Z","type":"date"}]}"#
      ),
      (#Predicate { $0.isHeld == true }, #"{"==":[{"attribute":"held"},true]}"#),
    ]
  }()

  // swift-format-ignore: NeverForceUnwrap
  static let unwrapping: [(Predicate<Package>, String)] = [
    (#Predicate { $0.section! == "net" }, #"{"==":[{"attribute":"section"},"net"]}"#)
  ]

  static let logic: [(Predicate<Package>, String)] = [
    (#Predicate { $0.isEssential }, #"{"==":[{"attribute":"essential"},true]}"#),
    (#Predicate { !$0.isEssential }, #"{"not":{"==":[{"attribute":"essential"},true]}}"#),
    (#Predicate { _ in true }, #"{"and":[]}"#),
    (#Predicate { _ in false }, #"{"or":[]}"#),
    (
      #Predicate { $0.size > 1 && $0.size < 9 && $0.isEssential },
      #"""
      {"and":[{">":[{"attribute":"installedSize"},1]},{"<":[{"attribute":"installedSize"},9]},
      {"==":[{"attribute":"essential"},true]}]}
      """#
    ),
    (
      #Predicate { $0.size > 1 || $0.size < 9 },
      #"{"or":[{">":[{"attribute":"installedSize"},1]},{"<":[{"attribute":"installedSize"},9]}]}"#
    ),
    (
      #Predicate { ($0.size > 1) == false },
      #"{"not":{">":[{"attribute":"installedSize"},1]}}"#
    ),
    (
      #Predicate { $0.isEssential ? $0.size > 1 : $0.size > 2 },
      #"""
      {"or":[{"and":[{"==":[{"attribute":"essential"},true]},
      {">":[{"attribute":"installedSize"},1]}]},
      {"and":[{"not":{"==":[{"attribute":"essential"},true]}},
      {">":[{"attribute":"installedSize"},2]}]}]}
      """#
    ),
  ]

  static let texts: [(Predicate<Package>, String)] = [
    (#Predicate { $0.name.contains("vi") }, #"{"contains":[{"attribute":"name"},"vi"]}"#),
    (#Predicate { $0.name.starts(with: "vi") }, #"{"begins":[{"attribute":"name"},"vi"]}"#),
    (#Predicate { $0.name.isEmpty }, #"{"==":[{"attribute":"name"},""]}"#),
  ]

  static let memberships: [(Predicate<Package>, String)] = {
    let (floor, range, names, open) = (Self.floor, Self.range, Self.names, 1..<5)
    return [
      (#Predicate { names.contains($0.name) }, #"{"in":[{"attribute":"name"},["vim","emacs"]]}"#),
      (#Predicate { range.contains($0.size) }, #"{"between":[{"attribute":"installedSize"},1,5]}"#),
      (
        #Predicate { (floor...20).contains($0.size) },
        #"{"between":[{"attribute":"installedSize"},10,20]}"#
      ),
      (
        #Predicate { open.contains($0.size) },
        #"""
        {"and":[{">=":[{"attribute":"installedSize"},1]},{"<":[{"attribute":"installedSize"},5]}]}
        """#
      ),
      (
        #Predicate { (5...range.lowerBound).contains($0.size) },
        #"{"between":[{"attribute":"installedSize"},5,1]}"#
      ),
      (
        #Predicate { (0.5...$0.priority).contains(2.5) },
        #"{"between":[2.5,0.5,{"attribute":"priority"}]}"#
      ),
    ]
  }()

  static let optionals: [(Predicate<Package>, String)] = [
    (
      #Predicate { $0.section?.contains("n") == true },
      #"{"and":[{"!=":[{"attribute":"section"},null]},{"contains":[{"attribute":"section"},"n"]}]}"#
    ),
    (
      #Predicate { $0.section?.contains("n") ?? false },
      #"{"and":[{"!=":[{"attribute":"section"},null]},{"contains":[{"attribute":"section"},"n"]}]}"#
    ),
    (
      #Predicate { $0.section?.starts(with: "n") == false },
      #"""
      {"and":[{"!=":[{"attribute":"section"},null]},
      {"not":{"begins":[{"attribute":"section"},"n"]}}]}
      """#
    ),
    (
      #Predicate { $0.section?.contains("n") ?? true },
      #"""
      {"or":[{"not":{"!=":[{"attribute":"section"},null]}},
      {"contains":[{"attribute":"section"},"n"]}]}
      """#
    ),
    (
      #Predicate { if let section = $0.section { section > "m" } else { false } },
      #"{"and":[{"!=":[{"attribute":"section"},null]},{">":[{"attribute":"section"},"m"]}]}"#
    ),
    (
      #Predicate { $0.isHeld ?? false },
      #"{"and":[{"!=":[{"attribute":"held"},null]},{"==":[{"attribute":"held"},true]}]}"#
    ),
  ]

  static let arithmetic: [(Predicate<Package>, String)] = [
    (
      #Predicate { $0.size * 2 + 1 > 7 },
      #"{">":[{"+":[{"*":[{"attribute":"installedSize"},2]},1]},7]}"#
    ),
    (#Predicate { $0.size - 1 == 7 }, #"{"==":[{"-":[{"attribute":"installedSize"},1]},7]}"#),
    (#Predicate { $0.size / 2 == 7 }, #"{"==":[{"/":[{"attribute":"installedSize"},2]},7]}"#),
    (
      #Predicate { $0.priority / 2.5 == 7.5 }, #"{"==":[{"/":[{"attribute":"priority"},2.5]},7.5]}"#
    ),
    (#Predicate { -$0.size == 7 }, #"{"==":[{"negate":{"attribute":"installedSize"}},7]}"#),
  ]
}

extension Operation {
  /// Reads a predicate from its JSON form.
  fileprivate static func `fetch`(where json: String) throws -> QueryExpression {
    try QueryExpression(JSONDocument(Array(json.utf8)).root)
  }
}
