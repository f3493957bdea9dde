import Testing

@testable import SwiftData

@Suite struct `Properties that become required` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types),
        configurations: ModelConfiguration(url: folder.store())
      )
    )
  }

  @Test(arguments: [false, true])
  func `are taken if all objects have values`(lacksOne: Bool) throws {
    let context = try open(Before.Guest.self)
    context.insert(Before.Guest(name: "Eve", stay: Before.Stay(days: 2, room: "7")))
    context.insert(
      Before.Guest(name: "Ada", stay: Before.Stay(days: 3, room: lacksOne ? nil : "8"))
    )
    context.insert(Before.Guest(name: "Bob", stay: nil))
    try context.save()
    guard !lacksOne else {
      let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try open(After.Guest.self)
      }
      #expect(failure?.message.contains("Guest.stay.room is required") == true)
      return
    }
    let guests = try open(After.Guest.self).fetch(
      FetchDescriptor<After.Guest>(sortBy: [.init(\.name)])
    )
    #expect(guests.map(\.name) == ["Ada", "Bob", "Eve"])
    #expect(guests.map(\.stay?.room) == ["8", nil, "7"])
  }

  @Test func `are added where there are no objects`() throws {
    let context = try open(Before.Guest.self)
    _ = context
    let later = try open(More.Guest.self, More.Host.self)
    later.insert(More.Guest(name: "Eve", host: More.Host(name: "Abe")))
    try later.save()
    #expect(try later.fetch(FetchDescriptor<More.Guest>()).map(\.host.name) == ["Abe"])
  }

  enum Before {
    struct Stay: Codable {
      var days: Int
      var room: String?
    }

    @Model final class Guest {
      var name: String?
      var stay: Stay?

      init(name: String?, stay: Stay?) {
        self.name = name
        self.stay = stay
      }
    }
  }

  enum After {
    struct Stay: Codable {
      var days: Int
      var room: String
    }

    @Model final class Guest {
      var name: String
      var stay: Stay?

      init(name: String) { self.name = name }
    }
  }

  enum More {
    @Model final class Guest {
      var name: String
      var age: Int
      var host: Host

      init(name: String, host: Host) {
        self.name = name
        age = 1
        self.host = host
      }
    }

    @Model final class Host {
      var name: String

      init(name: String) { self.name = name }
    }
  }
}
