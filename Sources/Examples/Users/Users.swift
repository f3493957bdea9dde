import SwiftData

// Users are fetched in the background into values, while the main actor does other work.

@Model final class User {
  #Index<User>([\.age])
  @Attribute(.unique) var email: String
  var name: String
  var age: Int
  var isActive: Bool

  init(email: String, name: String, age: Int, isActive: Bool = true) {
    self.email = email
    self.name = name
    self.age = age
    self.isActive = isActive
  }
}

/// The part of a user that crosses from one actor to another.
struct UserRow: Sendable, Identifiable {
  let id: PersistentIdentifier
  let name: String
  let age: Int
}

/// The work with users that isn't the main actor's.
@ModelActor actor UserDirectory {
  func fill(_ count: Int) throws {
    for number in 0..<count {
      modelContext.insert(
        User(email: "\(number)@example.org", name: "User \(number)", age: number % 90)
      )
    }
    try modelContext.save()
  }

  func rows(from age: Int) throws -> [UserRow] {
    let users = try modelContext.fetch(
      FetchDescriptor<User>(
        predicate: #Predicate { $0.age >= age && $0.isActive },
        sortBy: [SortDescriptor(\.age), SortDescriptor(\.email)]
      )
    )
    return users.map { UserRow(id: $0.persistentModelID, name: $0.name, age: $0.age) }
  }
}

/// The content of a view.
@MainActor @Observable final class UserList {
  private(set) var rows: [UserRow] = []
  private(set) var isLoading = false

  func load(from directory: UserDirectory, olderThan age: Int) async throws {
    isLoading = true
    defer { isLoading = false }
    rows = try await directory.rows(from: age)
  }
}

/// Counts for as long as the main actor has time for it.
@MainActor final class Heartbeat {
  private(set) var beats = 0
  private var task: Task<Void, Never>?

  func start() {
    task = Task {
      while !Task.isCancelled {
        beats += 1
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  func stop() { task?.cancel() }
}

@main struct Program {
  @MainActor static func main() async throws {
    let container = try ModelContainer(
      for: User.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let directory = UserDirectory(modelContainer: container)
    try await directory.fill(20_000)

    let heartbeat = Heartbeat()
    heartbeat.start()
    let list = UserList()
    try await list.load(from: directory, olderThan: 18)
    heartbeat.stop()

    print("\(list.rows.count) users of 18 and more, the first is \(list.rows[0].name).")
    print("The main actor went on meanwhile: \(heartbeat.beats > 1 ? "yes" : "no").")

    let first = container.mainContext.model(for: list.rows[0].id) as? User
    print("On the main actor, the same user is \(first?.email ?? "nobody").")
  }
}
