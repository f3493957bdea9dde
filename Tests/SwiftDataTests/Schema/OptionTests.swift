import DepotClient
import DepotProtocol
import Testing

@testable import SwiftData

@Suite struct `Options of properties` {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(storing: Album.self)
  }

  @Test func `the service knows them`() throws {
    let schema = try #require(container.stores.first).connect().schema()
    let album = try #require(schema["Album"])
    #expect(album["id"]?.isUnique == true)
    #expect(album["cover"]?.options == .externalStorage)
    #expect(album["rating"]?.options == .ephemeral)
    #expect(album["rating"]?.defaultValue == .int64(3))
    #expect(album["played"]?.options == .ephemeral)
    #expect(album["notes"]?.options == .spotlight)
    #expect(album["title"]?.options == .preserveValueOnDeletion)
    #expect(album["size"]?.properties.first?.options == .preserveValueOnDeletion)
    #expect(album["size"]?.properties.first?.defaultValue == .int64(4))
    #expect(album["secret"]?.options == [])
    #expect(album["tally"]?.hashModifier == "2")
    #expect(album["tally"]?.originalName == "count")
    #expect(album.uniques == [["artist"]])
    #expect(album.relationship("tracks")?.isOrdered == true)
    #expect(album.relationship("tracks")?.minCount == 1)
    #expect(album.relationship("tracks")?.maxCount == 20)
    #expect(album.relationship("artist")?.deleteRule == .deny)
  }

  @Test func `objects with them are stored and read`() throws {
    let context = ModelContext(container)
    let album = Album()
    album.cover = Data(repeating: 7, count: 100_000)
    album.rating = 5
    album.size = Size(width: 1, height: 2)
    album.artist = Artist(name: "Ann")
    album.tracks = [Track(name: "b"), Track(name: "a"), Track(name: "c")]
    context.insert(album)
    try context.save()
    let other = ModelContext(container)
    let read = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    #expect(read.id == album.id)
    #expect(read.cover == album.cover)
    #expect(read.rating == 3)
    #expect(read.size == Size(width: 1, height: 2))
    #expect(read.tracks.map(\.name) == ["b", "a", "c"])
    #expect(read.artist?.name == "Ann")
    #expect(read.entity == "x")
  }

  @Test func `a value in external storage is read when it is asked for`() throws {
    let context = ModelContext(container)
    let album = Album()
    album.cover = Data(repeating: 7, count: 100_000)
    album.tracks = [Track(name: "a")]
    context.insert(album)
    try context.save()
    let other = ModelContext(container)
    let read = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    let slot = EntityDescription.of(Album.self).slot(of: \Album.cover)
    #expect(read.title.isEmpty)
    #expect(read.storage?.isUnloaded(slot) == true)
    #expect(read.cover == album.cover)
  }

  @Test func `erasing takes delete rules in turn`() throws {
    let context = ModelContext(container)
    let album = Album()
    album.artist = Artist(name: "Ann")
    album.tracks = [Track(name: "b")]
    context.insert(album)
    try context.save()
    try container.erase()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Album>()) == 0)
    #expect(try other.fetchCount(FetchDescriptor<Track>()) == 0)
  }

  struct Size: Codable, Hashable {
    var width: Int
    var height: Int?
  }

  @Model final class Album {
    @Attribute(.unique) var id: UUID = UUID()
    @Attribute(.preserveValueOnDeletion) var title: String = ""
    @Attribute(.externalStorage) var cover: Data?
    @Attribute(.ephemeral) var rating: Int = 3
    @Attribute(.ephemeral) var played: Bool
    @Attribute(.spotlight) var notes: String = ""
    @Attribute(.preserveValueOnDeletion) var size: Size = Size(width: 4, height: nil)
    @Attribute(.allowsCloudEncryption) var secret: String = ""
    @Attribute(originalName: "count", hashModifier: "2") var tally: Int = 0
    var version: Int = 1
    var entity: String = "x"
    var rowid: Int = 2
    @Relationship(.unique, deleteRule: .deny) var artist: Artist?
    @Relationship(.ordered, minimumModelCount: 1, maximumModelCount: 20) var tracks: [Track] = []

    init() { played = true }
  }

  @Model final class Track {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model final class Artist {
    var name: String

    init(name: String) { self.name = name }
  }
}
