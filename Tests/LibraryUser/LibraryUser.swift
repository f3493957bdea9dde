import SwiftData

/// Changes a library as the lines of its input say, and answers each with a line.
@main struct LibraryUser {
  private let context: ModelContext

  static func main() throws {
    let place = CommandLine.arguments[1]
    let container = try ModelContainer(
      for: Shelf.self,
      configurations: place.hasPrefix("/")
        ? ModelConfiguration(url: URL(fileURLWithPath: place)) : ModelConfiguration(place)
    )
    let user = LibraryUser(context: ModelContext(container))
    user.context.author = "user"
    while let line = readLine() {
      do {
        var words = line.split(separator: " ").map(String.init)
        let isTelling = words[0] == "tell"
        if isTelling { words.removeFirst() }
        try user.perform(words)
        let answer =
          isTelling ? try JSONEncoder().encode(container.currentHistoryToken()) : Data("done".utf8)
        FileHandle.standardOutput.write(answer + Data("\n".utf8))
      } catch {
        FileHandle.standardOutput.write(Data("\(error)\n".utf8))
      }
    }
  }

  private func volume(_ title: String) throws -> Volume {
    let descriptor = FetchDescriptor<Volume>(predicate: #Predicate { $0.title == title })
    guard let found = try context.fetch(descriptor).first else { throw Missing() }
    return found
  }

  private func shelf(_ name: String) throws -> Shelf {
    let descriptor = FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == name })
    guard let found = try context.fetch(descriptor).first else { throw Missing() }
    return found
  }

  private func perform(_ words: [String]) throws {
    switch words[0] {
    case "pages": try volume(words[1]).pages = Int(words[2]) ?? 0
    case "lend": try volume(words[1]).isLent = true
    case "place": try volume(words[1]).place = Place(floor: Int(words[2]) ?? 0, row: words[3])
    case "add": try shelf(words[2]).volumes.append(Volume(title: words[1]))
    case "move": try volume(words[1]).shelf = shelf(words[2])
    case "remove": try volume(words[1]).shelf = nil
    case "delete": context.delete(try volume(words[1]))
    case "replace": try shelf(words[1]).volumes = words[2...].map { Volume(title: $0) }
    case "new": context.insert(Shelf(name: words[1]))
    case "rename": try shelf(words[1]).name = words[2]
    default: throw Missing()
    }
    try context.save()
  }

  private struct Missing: Error {}
}
