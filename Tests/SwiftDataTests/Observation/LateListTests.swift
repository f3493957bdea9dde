import Testing

@testable import SwiftData

/// Lists that are read only after the program and others have moved the same object.
@MainActor @Suite struct `Lists that are read late` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let volume: Volume
  private let shelves: [Shelf]

  init() throws {
    container = try libraryContainer()
    other = ModelContext(container)
    other.insert(Volume(title: "Dune"))
    for name in ["1", "2", "3"] { other.insert(Shelf(name: name)) }
    try other.save()
    context = container.mainContext
    context.autosaveEnabled = false
    volume = try #require(context.fetch(FetchDescriptor<Volume>()).first)
    shelves = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
  }

  /// Lets the other context store that the volume is on a shelf, or on none.
  private func store(_ shelf: Shelf?) throws {
    let theirs: Volume = try other.existingModel(for: volume.persistentModelID)
    theirs.shelf = try shelf.map { try other.existingModel(for: $0.persistentModelID) as Shelf }
    try other.save()
  }

  private func expect(_ shelf: Int?) {
    #expect(volume.shelf === shelf.map { shelves[$0] })
    for (index, other) in shelves.enumerated() {
      #expect(other.volumes == (index == shelf ? [volume] : []), "shelf \(index)")
    }
  }

  @Test func `have what the program has moved to them, and not what others have`() throws {
    volume.shelf = shelves[2]
    try store(shelves[1])
    expect(2)
    context.rollback()
    expect(1)
  }

  @Test func `take what the program appends to them though others have stored it there`() throws {
    volume.shelf = shelves[1]
    try store(shelves[0])
    shelves[0].volumes.append(volume)
    expect(0)
    try context.save()
    expect(0)
  }

  @Test func `have what the program has moved back, though others have moved it away`() throws {
    try store(shelves[0])
    volume.shelf = shelves[1]
    try store(shelves[2])
    volume.shelf = shelves[0]
    expect(0)
    context.rollback()
    expect(2)
  }

  @Test func `are what is stored after a rollback`() throws {
    try store(shelves[2])
    volume.shelf = nil
    try store(shelves[1])
    try store(shelves[0])
    volume.shelf = shelves[0]
    expect(0)
    context.rollback()
    expect(0)
  }

  @Test func `are what is stored after a rollback of several moves`() throws {
    try store(shelves[2])
    volume.shelf = nil
    volume.shelf = shelves[2]
    try store(shelves[1])
    shelves[0].volumes.append(volume)
    expect(0)
    context.rollback()
    expect(1)
  }

  @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `have what is stored where the policy has given the program's move up`(
    _ policy: MergePolicy
  ) throws {
    context.mergePolicy = policy
    volume.shelf = shelves[1]
    volume.shelf = shelves[0]
    try store(shelves[2])
    expect(2)
    try context.save()
    expect(2)
  }
}
