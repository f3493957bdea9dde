import Foundation
import Testing

@testable import SwiftData

@Model private final class Bookmark {
  var name: String
  var site: URL?
  var sites: [URL] = []
  var page = Page()

  init(name: String, site: URL? = nil) {
    self.name = name
    self.site = site
  }

  struct Page: Codable, Hashable {
    var address = URL(filePath: "/tmp")
    var number = 1
  }
}

/// URLs that have a base, without which they would come back as others.
@Suite struct `URLs that are relative to others` {
  private let context: ModelContext
  private let relative: URL

  init() throws {
    context = ModelContext(try ModelContainer(storing: Bookmark.self))
    let base = try #require(URL(string: "https://example.org/a/"))
    relative = try #require(URL(string: "b?c#d", relativeTo: base))
  }

  /// Expects that a save refuses a value and says what to store instead.
  private func expectRefusal(of property: String) {
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Bookmark" && error?.property == property)
    #expect(error?.message.contains("b?c#d") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("https://example.org/a/") == true)
    #expect(error?.hint?.contains("absoluteURL") == true)
  }

  @Test func `are refused before they are sent`() throws {
    let bookmark = Bookmark(name: "a", site: relative)
    context.insert(bookmark)
    expectRefusal(of: "site")
    bookmark.site = nil
    bookmark.sites = [relative]
    expectRefusal(of: "sites")
    bookmark.sites = []
    bookmark.page.address = relative
    expectRefusal(of: "page")
    bookmark.page.address = relative.absoluteURL
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Bookmark>()) == 1)
  }

  @Test func `come back equal when their absolute ones are stored`() throws {
    let bookmark = Bookmark(name: "a", site: relative.absoluteURL)
    bookmark.sites = [relative.absoluteURL]
    context.insert(bookmark)
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(other.fetch(FetchDescriptor<Bookmark>()).first)
    #expect(found.site == relative.absoluteURL && found.sites == [relative.absoluteURL])
    let wanted = relative.absoluteURL
    let same = FetchDescriptor<Bookmark>(predicate: #Predicate { $0.site == wanted })
    #expect(try other.fetchCount(same) == 1)
  }
}
