import SwiftData

// A to-do list that two processes change, with a main and a background context.

@Model final class Task {
  @Attribute(.unique) var title: String
  var isDone: Bool
  var orderIndex: Int
  var note: String

  init(title: String, orderIndex: Int, note: String = "") {
    self.title = title
    isDone = false
    self.orderIndex = orderIndex
    self.note = note
  }
}

let inOrder = FetchDescriptor<Task>(sortBy: [SortDescriptor(\.orderIndex)])

@MainActor func show(_ context: ModelContext, _ heading: String) throws {
  print(heading)
  for task in try context.fetch(inOrder) {
    print(
      "  \(task.isDone ? "[x]" : "[ ]") \(task.title)\(task.note.isEmpty ? "" : ": \(task.note)")"
    )
  }
}

/// The part of the other process: it completes a task and puts a new one first.
func changeElsewhere(_ url: URL) throws {
  let container = try ModelContainer(for: Task.self, configurations: ModelConfiguration(url: url))
  let context = ModelContext(container)
  context.author = "elsewhere"
  for task in try context.fetch(inOrder) {
    if task.title == "Buy bread" { task.isDone = true }
    if task.title == "Call Ada" { task.note = "from the other process" }
    task.orderIndex += 1
  }
  context.insert(Task(title: "Feed the cat", orderIndex: 0))
  try context.save()
}

/// Runs this program once more, as another process.
@MainActor func runElsewhere(_ url: URL) async throws {
  let process = Process()
  process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = ["elsewhere", url.path]
  try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
    process.terminationHandler = { _ in done.resume() }
    do { try process.run() } catch { done.resume(throwing: error) }
  }
}

/// Does something, and waits until the container has learnt of another process's change.
@MainActor func untilChanged(
  in container: ModelContainer,
  _ body: () async throws -> Void
) async throws {
  let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
  let observer = NotificationCenter.default.addObserver(
    forName: ModelContainer.remoteChange,
    object: nil,
    queue: nil
  ) { _ in continuation.yield() }
  defer { NotificationCenter.default.removeObserver(observer) }
  try await body()
  for await _ in changes { break }
}

@main struct Program {
  @MainActor static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "elsewhere" {
      return try changeElsewhere(URL(filePath: arguments[2]))
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "tasks.store")

    let container = try ModelContainer(for: Task.self, configurations: ModelConfiguration(url: url))
    let main = container.mainContext
    main.autosaveEnabled = false

    // A background context fills the list.
    try await container.performBackgroundTask { context in
      for (index, title) in ["Buy bread", "Call Ada", "Read the paper"].enumerated() {
        context.insert(Task(title: title, orderIndex: index))
      }
      try context.save()
    }
    try show(main, "At first:")

    // An edit that isn't saved yet, while another process changes the same task.
    let call = try main.fetch(inOrder)[1]
    call.note = "from this process"
    try await untilChanged(in: container) { try await runElsewhere(url) }

    // The other process's changes are merged; the edit of the same property is a conflict.
    main.mergePolicy = .error
    do {
      try main.save()
    } catch let error as SwiftDataError {
      for conflict in error.conflicts {
        let author = conflict.changedBy["note"]?.author ?? "somebody"
        print("Conflict in \(conflict.properties.joined(separator: ", ")), changed by \(author).")
      }
    }
    main.mergePolicy = .mergeByPropertyObjectTrump
    try main.save()
    try show(main, "In the end:")
  }
}
