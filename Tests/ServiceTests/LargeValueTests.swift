import DepotClient
import DepotProtocol
import Foundation
import Testing

extension ServiceTests {
  /// Records that have the length of a value in external storage.
  @Suite(.serialized) struct LargeValueTests {
    struct Photo: Record {
      var id: Identifier<Photo>?
      var name: String
      var image: LargeValue<Data>?
      var text: LargeValue<String>

      static let entity = "Photo"
      static let attributes: RecordAttributes<Photo> = [
        .identifier(\.id), .init(\.name, "name"), .init(\.image, "image"), .init(\.text, "text"),
      ]

      init(name: String, image: Data?, text: String) {
        self.name = name
        self.image = image.map(LargeValue.value)
        self.text = .value(text)
      }

      init(from row: inout RowReader) throws(DepotError) {
        id = Identifier(row.identifier)
        name = try row.next()
        image = try row.next()
        text = try row.next()
      }

      func write(to row: inout RowWriter) {
        row.append(name)
        row.append(image)
        row.append(text)
      }
    }

    struct Album: Record {
      var id: Identifier<Album>?
      var cover: Related<Photo>?

      static let entity = "Album"
      static let attributes: RecordAttributes<Album> = [
        .identifier(\.id), .toOne(\.cover, "cover"),
      ]

      init(cover: Related<Photo>?) { self.cover = cover }

      init(from row: inout RowReader) throws(DepotError) {
        id = Identifier(row.identifier)
        cover = try row.next()
      }

      func write(to row: inout RowWriter) { row.append(cover) }
    }

    struct CodablePhoto: Codable {
      var name: String
      var image: LargeValue<Data>?
    }

    struct WholePhoto: Codable {
      var image: Data?
    }

    private let daemon: TestDaemon
    private let connection: BlockingConnection
    private let photos: [Identifier<Photo>]
    private let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

    init() throws {
      daemon = try TestDaemon(schema: "")
      connection = try daemon.connect()
      try connection.define(Schema(for: Photo.self, Album.self))
      photos = try connection.insert([
        Photo(name: "a", image: image, text: "é"), Photo(name: "b", image: nil, text: ""),
      ])
    }

    @Test func `a record has the lengths, and the values are loaded when they are wanted`()
      async throws
    {
      let found = try connection.fetch(Photo.self, sortBy: [SortDescriptor(\.name)])
      #expect(found.map(\.image) == [.length(200_000), nil])
      #expect(found.map(\.text) == [.length(2), .length(0)])
      #expect(try connection.get(photos[0]).image?.length == 200_000)
      #expect(try connection.load(\Photo.image, of: photos[0]) == image)
      #expect(try connection.load(\Photo.image, of: photos[1]) == nil)
      #expect(try connection.load(\Photo.text, of: photos[0]) == "é")
      #expect(try connection.load(\Photo.text, of: photos[1]) == "")
      let client = try await Client(socket: SocketPath(daemon.socket))
      #expect(try await client.load(\Photo.image, of: photos[0]) == image)
      #expect(try await client.load(\Photo.image, of: photos[1]) == nil)
      #expect(try await client.load(\Photo.text, of: photos[1]) == "")
    }

    @Test func `a length never takes the place of the value`() throws {
      var save = Save()
      save.update(photos[0], to: try connection.get(photos[0]))
      let error = #expect(throws: DepotError.self) { try connection.save(save) }
      #expect(error?.details?["count"] == .int64(2), "the image and the text")
      #expect(try connection.load(\Photo.image, of: photos[0]) == image)
      try connection.update(photos[0], set: [.set(\.image, to: .value(Data([1])))])
      #expect(try connection.get(photos[0]).image == .length(1))
    }

    @Test func `rows that come along have the lengths too`() throws {
      try connection.insert([Album(cover: Related(photos[0]))])
      let albums = try connection.fetch(Album.self, prefetch: [\.cover])
      #expect(albums.first?.cover?.record?.image == .length(200_000))
      #expect(albums.first?.cover?.record?.name == "a")
    }

    @Test func `codable rows have the lengths, and say so if they can't`() throws {
      let request = FetchRequest(entity: "Photo", sort: [SortKey("name")])
      let found: [CodablePhoto] = try connection.fetch(decoding: CodablePhoto.self, request)
      #expect(found.map { $0.image?.length } == [200_000, nil])
      let selected = FetchRequest(entity: "Photo", limit: 1, select: ["name", "image"])
      #expect(try connection.fetch(decoding: CodablePhoto.self, selected)[0].image?.value == image)
      let error = #expect(throws: DepotError.self) {
        try connection.fetch(decoding: WholePhoto.self, request)
      }
      #expect(error?.hint?.contains("LargeValue") == true)
    }
  }
}
