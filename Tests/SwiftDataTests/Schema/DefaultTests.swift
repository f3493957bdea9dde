import Testing

@testable import SwiftData

/// A structure whose missing part gets a value that no store takes.
struct Blend: Codable, Hashable {
  var name: String
  var parts: [String: Int]

  init(name: String) {
    self.name = name
    parts = [:]
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    parts = try container.decodeIfPresent([String: Int].self, forKey: .parts) ?? ["\0": 1]
  }
}

@Model final class Palette {
  var shades: [String: Int] = ["a\0b": 1]
  init() {}
}

@Model final class Canister {
  var blend: Blend
  var spare: Blend?
  init(blend: Blend) { self.blend = blend }
}

@Model final class Sampler {
  var spare: Blend?
  init() {}
}

@Suite struct `Defaults that can't be stored` {
  private func failure(_ type: any PersistentModel.Type) -> SwiftDataError? {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Schema([type]),
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    }
  }

  @Test func `are refused by a container, which names the attribute and the reason`() {
    let failure = failure(Palette.self)
    #expect(failure?.message.hasPrefix("The default of Palette.shades can't be stored: ") == true)
    #expect(failure?.message.contains("U+0000") == true, "\(failure?.message ?? "")")
    #expect(failure?.property == "shades")
    #expect(failure?.hint != nil)
  }

  @Test(arguments: [Canister.self, Sampler.self] as [any PersistentModel.Type])
  func `are named where they are a structure's own`(type: any PersistentModel.Type) {
    let path = type == Canister.self ? "Canister.blend" : "Sampler.spare"
    let failure = failure(type)
    #expect(
      failure?.message.hasPrefix("The default of \(path).parts can't be stored: ") == true,
      "\(failure?.message ?? "")"
    )
  }
}
