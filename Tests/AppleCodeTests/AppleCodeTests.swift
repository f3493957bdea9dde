// swift-format-ignore-file: IdentifiersMustBeASCII

import SwiftData
import Testing

// What the code in this folder, which knows nothing of Depot, does when it runs.

@MainActor @Suite struct `Code written for Apple's SwiftData` {
  init() {
    // The stores are this process's own, whatever service the user has.
    setenv("DEPOT_EMBEDDED", "1", 0)
  }

  @Test func `a preview container has what was inserted`() throws {
    let container = try Trip.previewContainer
    let trips = try container.mainContext.fetch(Trip.upcoming)
    #expect(trips.map(\.name) == ["Preview"])
    #expect(trips[0].color == "#7")
  }

  @Test func `values of every kind come back as they were stored`() throws {
    let container = try ModelContainer(
      for: Everything.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let item = Everything()
    item.optionalText = "text"
    item.link = URL(string: "https://example.org/?q=1")
    item.photo = Data((0...255).map { UInt8($0) })
    item.priority = .high
    item.mood = .stormy
    item.shape = .circle(radius: 2)
    item.work = Address(street: "Side", city: "Lviv", zip: "79000")
    item.labels = ["a", "b"]
    item.priorities = [.low, .high]
    item.addresses = [Address(street: "x", city: "y")]
    item.dictionary = ["one": 1]
    item.unique = ["u"]
    item.renamed = "new"
    item.color = Color(red: 0.25, green: 0.5, blue: 0.75)
    item.count()
    let context = ModelContext(container)
    context.insert(item)
    try context.save()

    let other = ModelContext(container)
    let found = try #require(other.fetch(FetchDescriptor<Everything>()).first)
    #expect(found.id == item.id)
    #expect(found.uuid == item.uuid)
    #expect(found.text == "plain")
    #expect(found.optionalText == "text")
    #expect(found.number == 42 && found.small == 7 && found.unsigned == 9)
    #expect(found.ratio == 0.5 && found.single == 1.5 && !found.flag)
    #expect(found.date == Date(timeIntervalSinceReferenceDate: 0))
    #expect(found.money == item.money)
    #expect(found.link == item.link)
    #expect(found.photo == item.photo)
    #expect(found.priority == .high && found.status == .open && found.mood == .stormy)
    #expect(found.shape == .circle(radius: 2))
    #expect(found.home == item.home && found.work == item.work)
    #expect(found.size == Size(width: 1, height: 2))
    #expect(found.labels == ["a", "b"] && found.numbers == [1, 2, 3])
    #expect(found.priorities == [.low, .high])
    #expect(found.addresses == item.addresses)
    #expect(found.dictionary == ["one": 1] && found.unique == ["u"])
    #expect(found.renamed == "new" && found.counter == 1)
    #expect(found.color.green == 0.5)
  }

  @Test func `predicates find what they say`() throws {
    let container = try ModelContainer(
      for: Trip.self,
      Everything.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = container.mainContext
    let oslo = Trip(name: "Oslo", destination: "Norway")
    oslo.bucketList = ["Museum", "Market", "Harbour"].map {
      BucketListItem(title: $0, isInPlan: true)
    }
    oslo.livingAccommodation = LivingAccommodation(address: "1", placeName: "Hut")
    oslo.livingAccommodation?.isConfirmed = true
    context.insert(oslo)
    context.insert(Trip(name: "Rome", destination: "Italy"))
    context.insert(Everything())
    try context.save()

    func names(_ predicate: Predicate<Trip>) throws -> [String] {
      try ModelContext(container).fetch(
        FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
      ).map(\.name)
    }
    #expect(try names(simple) == ["Oslo"])
    #expect(try names(chained) == ["Oslo"])
    #expect(try names(nested) == ["Oslo"])
    #expect(try names(all) == ["Rome"])
    #expect(try names(filtered) == ["Oslo"])
    #expect(try context.fetchCount(FetchDescriptor(predicate: conditional)) == 3)
    for predicate in [range, arithmetic, composite, Filters(text: "LAI").predicate()] {
      let expected = try predicate.evaluate(Everything()) ? 1 : 0
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected)
    }
    #expect(try context.fetchCount(FetchDescriptor(predicate: coalesced)) == 0)
    #expect(try context.fetchCount(FetchDescriptor(predicate: captured(.normal, ["plain"]))) == 1)
    #expect(try context.fetch(identifiers([oslo.persistentModelID])) == [oslo])
  }

  @Test func `a hierarchy is fetched by its classes`() throws {
    let container = try ModelContainer(
      for: Vehicle.self,
      Truck.self,
      Bicycle.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = container.mainContext
    context.insert(Truck(plate: "T1", load: 3.5))
    context.insert(Bicycle(gears: 3))
    context.insert(Vehicle(plate: "V1", wheels: 4))
    let driver = Driver(name: "Ada")
    driver.vehicles = try context.fetch(FetchDescriptor<Truck>())
    context.insert(driver)
    try context.save()

    let other = ModelContext(container)
    let vehicles = try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.wheels)]))
    #expect(vehicles.map { "\(type(of: $0))" } == ["Bicycle", "Vehicle", "Truck"])
    #expect((vehicles[0] as? Bicycle)?.gears == 3)
    #expect((vehicles[2] as? Truck)?.load == 3.5)
    #expect(vehicles[2].drivers.map(\.name) == ["Ada"])
    let trucks = #Predicate<Vehicle> { $0 is Truck }
    #expect(try other.fetchCount(FetchDescriptor(predicate: trucks)) == 1)
  }

  @Test func `actors share the container's objects by their identifiers`() async throws {
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let handler = DataHandler(modelContainer: container)
    let id = try await handler.newTrip(name: "Oslo")
    try await handler.rename(id, to: "Bergen")
    #expect(try await HandMadeHandler(container: container).count() == 1)
    #expect(try await GenericStore<Trip>(modelContainer: container).all() == [id])
    #expect((container.mainContext.model(for: id) as? Trip)?.name == "Bergen")
  }

  @Test func `listeners and the history learn of saves and deletions`() throws {
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = container.mainContext
    let listener = SaveListener()
    listener.listen(to: context)
    defer { listener.stop() }
    let trip = Trip(name: "Oslo", destination: "Norway")
    context.insert(trip)
    try context.save()
    #expect(listener.inserted == 1)
    context.delete(trip)
    try context.save()
    #expect(try historyOfDeletions(in: container) == ["Oslo"])
  }

  @Test func `a store of the first version is migrated through the plan`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "notes.store")
    do {
      let container = try ModelContainer(
        for: NotesV1.Note.self,
        configurations: ModelConfiguration(schema: Schema(versionedSchema: NotesV1.self), url: url)
      )
      let context = ModelContext(container)
      for title in ["a", "b", "a"] { context.insert(NotesV1.Note(title: title)) }
      try context.save()
    }
    let container = try ModelContainer(
      for: NotesV3.Note.self,
      migrationPlan: NotesMigrationPlan.self,
      configurations: ModelConfiguration(url: url)
    )
    let notes = try ModelContext(container).fetch(
      FetchDescriptor<NotesV3.Note>(sortBy: [SortDescriptor(\.title)])
    )
    #expect(notes.map(\.title) == ["a", "b"])
    #expect(notes.allSatisfy { $0.text.isEmpty })
  }

  @Test func `names may have the letters of any language`() throws {
    let container = try ModelContainer(
      for: Straße.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    for (index, имя) in ["Невский", "Ленина", "Мира"].enumerated() {
      let straße = Straße(
        имя: имя,
        名前: index == 1 ? nil : "道\(index)",
        größe: Maße(länge: Double(index) * 10, breite: 2)
      )
      straße.häuser = (0...index).map { Häuser(número: $0) }
      if index == 2 { straße.цвет = .зелёный }
      context.insert(straße)
    }
    try context.save()

    let other = ModelContext(container)
    let long = try other.fetch(
      FetchDescriptor<Straße>(
        predicate: #Predicate { $0.größe.länge > 5 },
        sortBy: [SortDescriptor(\.größe.länge, order: .reverse)]
      )
    )
    #expect(long.map(\.имя) == ["Мира", "Ленина"])
    #expect(long.map(\.цвет) == [.зелёный, .赤])
    let named = try other.fetch(
      FetchDescriptor<Straße>(
        predicate: #Predicate { straße in
          straße.名前 != nil && straße.häuser.contains { $0.número == 2 }
        },
        sortBy: [SortDescriptor(\.名前)]
      )
    )
    #expect(named.map(\.имя) == ["Мира"])
    let häuser = try other.fetch(
      FetchDescriptor<Häuser>(
        predicate: #Predicate { $0.straße?.имя == "Ленина" },
        sortBy: [SortDescriptor(\.número)]
      )
    )
    #expect(häuser.map(\.número) == [0, 1])
    long[0].größe.breite = 7
    try other.save()
    let update = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes).last
    guard case .update(let change as DefaultHistoryUpdate<Straße>)? = update else {
      Issue.record("The last change isn't an update of a street.")
      return
    }
    #expect(change.updatedAttributes.map { $0 as AnyKeyPath } == [\Straße.größe])
    other.delete(long[0])
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Häuser>()) == 3)
  }

  @Test func `such names can become others in the next version`() throws {
    let url = URL.temporaryDirectory.appending(path: "depot-\(UUID().uuidString).store")
    defer {
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + ending)
      }
    }
    do {
      let container = try ModelContainer(
        for: NamenV1.Größe.self,
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      context.insert(NamenV1.Größe(länge: 2.5))
      try context.save()
    }
    let container = try ModelContainer(
      for: NamenV2.Größe.self,
      migrationPlan: NamenPlan.self,
      configurations: ModelConfiguration(url: url)
    )
    let größen = try ModelContext(container).fetch(FetchDescriptor<NamenV2.Größe>())
    #expect(größen.map(\.長さ) == [2.5])
    #expect(größen.map(\.überschrift) == [""])
  }
}
