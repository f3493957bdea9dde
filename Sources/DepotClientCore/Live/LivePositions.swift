internal import DepotProtocol

/// The positions in a watched result, and their changes.
enum LivePositions {
  /// A row that was taken out: its identifier and position.
  struct Taken {
    var identifier: Int64
    var from: Int
  }

  /// A row that is put in.
  struct Put<Element> {
    var element: Element
    var at: Int
  }

  /// Takes rows out of a list and puts others in.
  ///
  /// - Parameters:
  ///   - list: The result; after a failure it is unchanged.
  ///   - taken: The rows that leave, in any order.
  ///   - put: The rows that enter, by ascending positions in the new list.
  ///   - identifier: Returns the identifier of an element.
  /// - Throws: ``DepotError`` `protocol.frame` if a position has another row or doesn't exist.
  static func apply<Element>(
    to list: inout [Element],
    taken: [Taken],
    put: [Put<Element>],
    identifier: (Element) -> Int64
  ) throws(DepotError) {
    for row in taken {
      guard list.indices.contains(row.from), identifier(list[row.from]) == row.identifier else {
        throw inconsistent("row \(row.identifier) isn't at place \(row.from)")
      }
    }
    if taken.count == put.count, zip(taken, put).allSatisfy({ $0.from == $1.at }),
      zip(put, put.dropFirst()).allSatisfy({ $0.at < $1.at })
    {
      for row in put { list[row.at] = row.element }
      return
    }
    let places = taken.map(\.from).sorted()
    guard zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw inconsistent("a row is taken out twice")
    }
    for (index, row) in put.enumerated() {
      let isAscending = row.at > (index == 0 ? -1 : put[index - 1].at)
      guard isAscending, row.at <= list.count - places.count + index else {
        throw inconsistent("there is no place \(row.at)")
      }
    }
    if places.count + put.count <= few {
      for place in places.reversed() { list.remove(at: place) }
      for row in put { list.insert(row.element, at: row.at) }
    } else {
      list = merged(list, without: places, with: put)
    }
  }

  /// Up to how many rows moving the others is cheaper than making a new list.
  private static let few = 16

  private static func merged<Element>(
    _ list: [Element],
    without places: [Int],
    with put: [Put<Element>]
  ) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(list.count - places.count + put.count)
    var skipped = 0
    var next = 0
    func putWhatIsNext() {
      while next < put.count, put[next].at == result.count {
        result.append(put[next].element)
        next += 1
      }
    }
    for index in list.indices {
      if skipped < places.count, places[skipped] == index {
        skipped += 1
        continue
      }
      putWhatIsNext()
      result.append(list[index])
    }
    putWhatIsNext()
    return result
  }

  /// Returns the error that a change doesn't fit the rows that are there.
  static func inconsistent(_ reason: String) -> DepotError {
    DepotError(.frame, "The service sent a change that doesn't fit the rows before it: \(reason).")
      .hint("Watch again to begin with a new snapshot.")
  }
}
