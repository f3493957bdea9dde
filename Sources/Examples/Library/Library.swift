import SwiftData
import Synchronization

// A library whose books another process lends, observed property by property.
//
// With the address of a PostgreSQL database as its argument, the library is there; the other process then uses the
// service whose socket ELSEWHERE names, as on another host.

@Model final class Book {
  @Attribute(.unique) var isbn: String
  var title: String
  var isAvailable: Bool
  var author: Author?

  init(isbn: String, title: String, isAvailable: Bool = true) {
    self.isbn = isbn
    self.title = title
    self.isAvailable = isAvailable
  }
}

@Model final class Author {
  var name: String
  @Relationship(inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }

  /// Observers of this are notified when the list or a book's availability changes.
  var availableBooks: Int { books.count(where: \.isAvailable) }
}

/// The part of the other process, step by step, each as one line asks for it.
func lendElsewhere(_ url: URL) throws {
  let container = try ModelContainer(
    for: Author.self,
    configurations: ModelConfiguration(url: url)
  )
  let context = ModelContext(container)
  while let line = readLine() {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let isbn = words[1]
    let book = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isbn == isbn }))
      .first
    switch words[0] {
    case "lend": book?.isAvailable = false
    case "rename": book?.title += ", 2nd edition"
    case "buy":
      let another = Book(isbn: isbn, title: "New")
      another.author = try context.fetch(FetchDescriptor<Author>()).first
      context.insert(another)
    default: break
    }
    try context.save()
  }
}

/// Returns the URL of a database, or of the file at a path.
func store(_ place: String) -> URL {
  let isDatabase = place.hasPrefix("postgresql://")
  return isDatabase ? URL(string: place) ?? URL(filePath: place) : URL(filePath: place)
}

/// Waits until something that `body` reads changes.
@MainActor func nextChange(of body: () -> Void) async {
  await withCheckedContinuation { changed in
    withObservationTracking(body) { changed.resume() }
  }
  // The new value is there after the change that is being announced.
  await Swift.Task.yield()
}

@main struct Program {
  @MainActor static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "lend" {
      return try lendElsewhere(store(arguments[2]))
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = arguments.count == 2 ? arguments[1] : folder.path + "/library.store"
    let url = store(place)
    let container = try ModelContainer(
      for: Author.self,
      configurations: ModelConfiguration(url: url)
    )
    let context = container.mainContext
    let author = Author(name: "Ursula K. Le Guin")
    author.books = [
      Book(isbn: "1", title: "The Dispossessed"), Book(isbn: "2", title: "The Lathe of Heaven"),
    ]
    context.insert(author)
    try context.save()
    print("\(author.name): \(author.availableBooks) of \(author.books.count) available.")

    let process = Process()
    let orders = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["lend", place]
    var environment = ProcessInfo.processInfo.environment
    environment["DEPOT_SOCKET"] = environment["ELSEWHERE"] ?? environment["DEPOT_SOCKET"]
    process.environment = environment
    process.standardInput = orders
    try process.run()
    func order(_ line: String) throws {
      try orders.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    let first = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))[0]
    let told = Mutex(0)
    withObservationTracking {
      _ = first.title
    } onChange: {
      told.withLock { $0 += 1 }
    }

    try order("lend 1")
    await nextChange { _ = author.availableBooks }
    print("Lent elsewhere: \(author.availableBooks) of \(author.books.count) available.")
    print("Observers of the title were told \(told.withLock { $0 }) times.")

    try order("buy 3")
    await nextChange { _ = author.books.count }
    print("Bought elsewhere: \(author.availableBooks) of \(author.books.count) available.")

    try order("rename 1")
    await nextChange { _ = first.title }
    print("Renamed elsewhere: \(first.title).")
    try orders.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
