import DepotProtocol

/// Objects in memory that refer to each other, as plainly as it can be said.
struct ObjectModel {
  /// A relationship of the model's schema.
  struct Link: Hashable {
    var owner: String
    var relationship: Relationship
    /// Gives the rows and what they lead to, in their order, of a store.
    var sql: String

    var key: String { "\(owner).\(relationship.name)" }
  }

  struct Broken: Error {}

  let links: [Link]
  /// The objects of each entity.
  private(set) var objects: [String: Set<Int64>] = [:]
  private var targets: [String: [Int64: [Int64]]] = [:]

  init(_ links: [Link]) {
    self.links = links
  }

  func link(_ owner: String, _ name: String) -> Link? {
    links.first { $0.owner == owner && $0.relationship.name == name }
  }

  /// What the rows lead to that lead to anything.
  func all(_ link: Link) -> [Int64: [Int64]] {
    (targets[link.key] ?? [:]).filter { !$0.value.isEmpty }
      .mapValues { link.relationship.isOrdered ? $0 : $0.sorted() }
  }

  private func list(_ link: Link, _ row: Int64) -> [Int64] { targets[link.key]?[row] ?? [] }

  private func inverse(_ link: Link) -> Link? {
    link.relationship.inverse.flatMap { self.link(link.relationship.destination, $0) }
  }

  mutating func create(_ entity: String, _ row: Int64) {
    objects[entity, default: []].insert(row)
  }

  func check(_ rows: [Int64], of entity: String) throws {
    for row in rows where objects[entity]?.contains(row) != true { throw Broken() }
  }

  mutating func connect(_ link: Link, _ row: Int64, _ target: Int64) {
    guard !list(link, row).contains(target) else { return }
    if !link.relationship.isToMany, let old = list(link, row).first { disconnect(link, row, old) }
    guard let inverse = inverse(link) else {
      return targets[link.key, default: [:]][row, default: []].append(target)
    }
    if !inverse.relationship.isToMany, let old = list(inverse, target).first {
      disconnect(link, old, target)
    }
    targets[link.key, default: [:]][row, default: []].append(target)
    if inverse.key != link.key || row != target {
      targets[inverse.key, default: [:]][target, default: []].append(row)
    }
  }

  mutating func disconnect(_ link: Link, _ row: Int64, _ target: Int64) {
    targets[link.key]?[row]?.removeAll { $0 == target }
    if let inverse = inverse(link) { targets[inverse.key]?[target]?.removeAll { $0 == row } }
  }

  /// Lets a row lead to these and no others.
  mutating func set(_ link: Link, _ row: Int64, _ wanted: [Int64]) throws {
    try check(wanted, of: link.relationship.destination)
    for old in list(link, row) where !wanted.contains(old) { disconnect(link, row, old) }
    for target in wanted { connect(link, row, target) }
    if link.relationship.isOrdered { targets[link.key, default: [:]][row] = wanted }
  }

  mutating func edit(
    _ link: Link,
    _ row: Int64,
    add: [Int64],
    remove: [Int64],
    at position: Int?
  ) throws {
    try check(add, of: link.relationship.destination)
    for target in remove { disconnect(link, row, target) }
    for target in add { connect(link, row, target) }
    guard let position, link.relationship.isOrdered else { return }
    var list = list(link, row).filter { !add.contains($0) }
    list.insert(contentsOf: add, at: min(position, list.count))
    targets[link.key]?[row] = list
  }

  /// Deletes rows with what hangs on them; returns how many in all.
  mutating func delete(_ rows: [Int64], of entity: String) throws -> Int {
    try check(rows, of: entity)
    var doomed: [(String, Int64)] = []
    var waiting = rows.map { (entity, $0) }
    while let (entity, row) = waiting.popLast() {
      if doomed.contains(where: { $0 == (entity, row) }) { continue }
      doomed.append((entity, row))
      for link in links where link.owner == entity && link.relationship.deleteRule == .cascade {
        waiting += list(link, row).map { (link.relationship.destination, $0) }
      }
    }
    for (entity, row) in doomed {
      for link in links where link.owner == entity && link.relationship.deleteRule == .deny {
        for target in list(link, row)
        where !doomed.contains(where: { $0 == (link.relationship.destination, target) }) {
          throw Broken()
        }
      }
    }
    for (entity, row) in doomed {
      for link in links {
        if link.relationship.destination == entity {
          for source in targets[link.key]?.keys.map({ $0 }) ?? [] {
            targets[link.key]?[source]?.removeAll { $0 == row }
          }
        }
        if link.owner == entity { targets[link.key]?[row] = nil }
      }
      objects[entity]?.remove(row)
    }
    return doomed.count
  }

  /// - Throws: ``Broken`` if a row has too few or too many targets.
  func validate() throws {
    for link in links {
      for row in objects[link.owner] ?? [] {
        let count = list(link, row).count
        let relationship = link.relationship
        if !relationship.isToMany, !relationship.isOptional, count == 0 { throw Broken() }
        if relationship.isToMany, count < relationship.minCount { throw Broken() }
        if relationship.maxCount > 0, count > relationship.maxCount { throw Broken() }
      }
    }
  }
}
