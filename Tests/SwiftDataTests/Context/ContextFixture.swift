@testable import SwiftData

/// A container in memory, with contexts on it that last as long as this.
final class ContextFixture {
  let container: ModelContainer
  let context: ModelContext
  private var others: [ModelContext] = []

  init() throws {
    container = try ModelContainer(
      storing: Gadget.self,
      Haven.self,
      Ship.self,
      Mare.self,
      Setlist.self
    )
    context = ModelContext(container)
  }

  /// Another context, which sees only what was saved.
  var other: ModelContext {
    others.append(ModelContext(container))
    return others[others.count - 1]
  }
}

extension ModelContext {
  /// All objects of a class that are saved, by identifier.
  func saved<Model: PersistentModel>(_: Model.Type) throws -> [Model] {
    var descriptor = FetchDescriptor<Model>()
    descriptor.includePendingChanges = false
    return try fetch(descriptor)
  }
}
