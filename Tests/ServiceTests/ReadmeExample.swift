import DepotClient
import DepotProtocol
import Foundation
import Observation

// The Swift of the README, word for word; DocumentedExamplesTests compares and runs it.

struct Author: Record {
  var id: Identifier<Author>?
  var name: String
  var books: [Related<Book>] = []

  static let entity = "Author"
  static let attributes: RecordAttributes<Author> = [
    .identifier(\.id), .init(\.name, "name", isUnique: true),
    .toMany(\.books, "books", inverse: \Book.author, deleteRule: .cascade),
  ]
}

struct Book: Record {
  var id: Identifier<Book>?
  var title: String
  var year: Int
  var author: Related<Author>

  static let entity = "Book"
  static let attributes: RecordAttributes<Book> = [
    .identifier(\.id), .init(\.title, "title"), .init(\.year, "year", isIndexed: true),
    .toOne(\.author, "author"),
  ]
}

extension Author {
  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    name = try row.next()
    books = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(books)
  }
}

extension Book {
  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    title = try row.next()
    year = try row.next()
    author = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(title)
    row.append(year)
    row.append(author)
  }
}

enum ReadmeExample {
  static func connect() async throws -> Client {
    let depot = try await Client(start: .ifMissing)
    return depot
  }

  /// Returns what it found.
  static func run(_ depot: Client) async throws -> [String] {
    try await depot.define(Schema(for: Author.self))

    var save = Save()
    let herbert = save.insert(Author(name: "Frank Herbert"))
    save.insert(Book(title: "Dune", year: 1965, author: Related(herbert)))
    save.insert(Book(title: "Dune Messiah", year: 1969, author: Related(herbert)))
    try await depot.save(save)  // All of it is stored, or nothing is.

    let recent = #Predicate<Author> { $0.books.contains { ($0.year ?? 0) > 1965 } }
    let byName = SortDescriptor(\Author.name)
    let authors = try await depot.fetch(
      Author.self,
      where: recent,
      sortBy: [byName],
      prefetch: [\.books]
    )
    let titles = authors[0].books.compactMap(\.title)

    let hers = #Predicate<Book> { $0.author.name == "Ursula K. Le Guin" }
    try await depot.update(Book.self, where: hers, set: [.set(\.year, to: 1974)])

    let groups = try await depot.aggregate(
      Book.self,
      by: \.author.name,
      values: .count,
      .max(\.year)
    )

    return authors.map(\.name) + titles
      + groups.map { "\($0.keys ?? ""): \($0.values.0), \($0.values.1 ?? 0)" }
  }

  /// Stores a second book after the first moment; returns how many there were at each.
  static func follow(_ depot: Client) async throws -> [Int] {
    let recent = #Predicate<Book> { $0.year > 1965 }
    var seen: [Int] = []
    let writer = Task {
      for try await _ in depot.watch(Book.self, where: recent).snapshots { break }
      let author = Identifier<Author>(1)
      try await depot.insert([Book(title: "Children of Dune", year: 1976, author: Related(author))])
    }

    let books = depot.live(Book.self, where: recent, sortBy: [SortDescriptor(\.title)])
    try await books.ready()
    withObservationTracking {
      print(books.rows.count, books.rows.first?.title ?? "")
    } onChange: {
      print("There are more or fewer, or another is the first, or it has a new title.")
    }

    for try await moment in depot.watch(Book.self, where: recent).snapshots {
      seen.append(moment.count)
      if moment.count > 1 { break }
    }
    try await writer.value
    return seen
  }
}
