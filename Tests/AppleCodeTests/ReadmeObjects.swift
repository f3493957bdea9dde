import SwiftData

// The Swift of the README's section "Objects", word for word; ReadmeObjectsTests compares and runs it.

@Model final class Author {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model final class Book {
  var title: String
  var year: Int
  var author: Author?

  init(title: String, year: Int) {
    self.title = title
    self.year = year
  }
}

@MainActor func readmeObjects() throws {
  let container = try ModelContainer(for: Author.self)
  let context = container.mainContext
  let herbert = Author(name: "Frank Herbert")
  herbert.books = [Book(title: "Dune", year: 1965), Book(title: "Dune Messiah", year: 1969)]
  context.insert(herbert)
  try context.save()

  let recent = #Predicate<Author> { author in
    author.name.hasPrefix("Frank") && author.books.contains { $0.year > 1965 }
  }
  for author in try context.fetch(FetchDescriptor(predicate: recent)) {
    print(author.name, author.books.map(\.title))
  }

  // Called when another process saves a new title for the first book.
  withObservationTracking {
    _ = herbert.books.first?.title
  } onChange: {
    print("It has changed.")
  }
}
