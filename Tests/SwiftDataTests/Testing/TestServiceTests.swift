import DepotClient
import DepotTesting
import Foundation
import Testing

@DTO private struct Book: Sendable {
  var id: Identifier<Book>?
  var title: String
  var year: Int
}

/// The helpers for tests of programs with values, used as users use them.
@Suite struct TestServiceTests {
  private let service: TestService
  private let client: Client

  init() async throws {
    service = try TestService()
    client = try await service.client()
    try await client.define(Schema(for: Book.self))
  }

  @Test func `each service has a store of its own, which others reach at its socket`() async throws
  {
    let other = try TestService()
    try await other.client().define(Schema(for: Book.self))
    try await client.insert([Book(title: "Dune", year: 1965)])
    #expect(try await Client(socket: service.socket).count(Book.self) == 1)
    #expect(try await other.client().count(Book.self) == 0)
    #expect(FileManager.default.fileExists(atPath: service.store))
  }

  @Test func `the folder goes away with the service`() throws {
    var other: TestService? = try TestService()
    let folder = try #require(other?.folder)
    #expect(FileManager.default.fileExists(atPath: folder))
    other = nil
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `settled live results have what others have committed`() async throws {
    let books = client.live(Book.self)
    try await books.ready()
    let writer = try await service.client()
    for year in 1..<50 {
      try await writer.insert([Book(title: "\(year)", year: year)])
      try await client.settle()
      #expect(books.rows.count == year)
    }
  }

  @Test func `a loop that isn't asked for its next event is told of`() async throws {
    var events = client.watchCount(Book.self).makeAsyncIterator()
    #expect(try await events.next()?.value == 0)
    try await client.insert([Book(title: "Dune", year: 1965)])
    let error = await #expect(throws: SettleTimeout.self) {
      try await client.settle(within: .zero)
    }
    #expect(error?.description.contains("a loop over a watch") == true)
    #expect(try await events.next()?.value == 1)
  }
}
