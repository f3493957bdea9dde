import Testing

@testable import SwiftData

/// Stores with more than the program's classes have.
@Suite struct `Programs that know less than a store` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types),
        configurations: ModelConfiguration(url: folder.store())
      )
    )
  }

  private func fill() throws {
    let context = try open(Large.Trip.self, Large.Hotel.self)
    let trip = Large.Trip()
    trip.note = "kept"
    trip.hotel = Large.Hotel()
    context.insert(trip)
    try context.save()
  }

  private func trip() throws -> (note: String?, hotel: String?) {
    let context = try open(Large.Trip.self, Large.Hotel.self)
    let trip = try #require(context.fetch(FetchDescriptor<Large.Trip>()).first)
    return (trip.note, trip.hotel?.name)
  }

  @Test func `leave the rest as it is, with what leads to classes that they don't know`() throws {
    try fill()
    let small = try open(Small.Trip.self)
    #expect(try small.fetch(FetchDescriptor<Small.Trip>()).map(\.title) == ["a"])
    let trip = try trip()
    #expect(trip.note == "kept")
    #expect(trip.hotel == "b")
  }

  @Test func `keep a property beside another that can't be kept`() throws {
    try fill()
    // Its hotels have another way back now, so that the store's can't stay.
    let other = try open(Other.Trip.self, Other.Hotel.self)
    #expect(try other.fetch(FetchDescriptor<Other.Trip>()).map(\.title) == ["a"])
    #expect(try trip().note == "kept")
  }

  enum Small {
    @Model final class Trip {
      var title = "a"
      init() {}
    }
  }

  enum Large {
    @Model final class Trip {
      var title = "a"
      var note: String?
      var hotel: Hotel?
      init() {}
    }

    @Model final class Hotel {
      var name = "b"
      @Relationship(inverse: \Trip.hotel) var trips: [Trip] = []
      init() {}
    }
  }

  enum Other {
    @Model final class Trip {
      var title = "a"
      var place: Hotel?
      init() {}
    }

    @Model final class Hotel {
      var name = "b"
      @Relationship(inverse: \Trip.place) var trips: [Trip] = []
      init() {}
    }
  }
}
