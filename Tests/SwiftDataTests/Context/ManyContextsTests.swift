import Foundation
import Testing

@testable import SwiftData

@Suite struct `Many contexts` {
  @Test func `more contexts than a service takes connections can live at once`() throws {
    let container = try ModelContainer(storing: Gadget.self)
    var contexts: [ModelContext] = []
    for number in 0..<300 {
      let context = ModelContext(container)
      context.insert(Gadget(name: "\(number)"))
      try context.save()
      contexts.append(context)
    }
    #expect(try contexts[0].fetchCount(FetchDescriptor<Gadget>()) == 300)
  }

  @Test func `contexts can be used while others enumerate`() throws {
    let container = try ModelContainer(storing: Gadget.self)
    let context = ModelContext(container)
    for number in 0..<20 { context.insert(Gadget(name: "\(number)")) }
    try context.save()
    var counts: Set<Int> = []
    try context.enumerate(FetchDescriptor<Gadget>(), batchSize: 2) { _ in
      let other = ModelContext(container)
      try other.enumerate(FetchDescriptor<Gadget>(), batchSize: 3) { _ in
        counts.insert(try ModelContext(container).fetchCount(FetchDescriptor<Gadget>()))
      }
      counts.insert(try context.fetchCount(FetchDescriptor<Gadget>()))
    }
    #expect(counts == [20])
  }
}
