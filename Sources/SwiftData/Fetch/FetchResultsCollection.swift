/// The results of a fetch, which are read in batches when they are used.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  public let startIndex = 0
  public let endIndex: Int
  private let pages: Pages

  /// The elements that were read.
  private final class Pages {
    var known: [Int: [Element]] = [:]
    let batchSize: Int
    let read: (Range<Int>) -> [Element]

    init(batchSize: Int, read: @escaping (Range<Int>) -> [Element]) {
      self.batchSize = batchSize
      self.read = read
    }
  }

  /// Creates a collection of elements that are in memory.
  init(_ elements: [Element]) {
    self.init(count: elements.count, batchSize: Swift.max(1, elements.count)) {
      Array(elements[$0])
    }
  }

  /// Creates a collection of elements that are read when they are used.
  ///
  /// - Parameters:
  ///   - count: How many elements there are.
  ///   - batchSize: How many are read at once.
  ///   - read: Returns the elements at some positions, all of them.
  init(count: Int, batchSize: Int, read: @escaping (Range<Int>) -> [Element]) {
    endIndex = count
    pages = Pages(batchSize: Swift.max(1, batchSize), read: read)
  }

  public subscript(position: Int) -> Element {
    precondition(indices.contains(position), "There is no result at \(position).")
    let number = position / pages.batchSize
    let start = number * pages.batchSize
    if let page = pages.known[number] { return page[position - start] }
    let page = pages.read(start..<Swift.min(endIndex, start + pages.batchSize))
    pages.known[number] = page
    return page[position - start]
  }
}

extension FetchResultsCollection: Equatable where Element: Equatable {
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

@available(*, unavailable, message: "The results belong to the context that they were fetched in.")
extension FetchResultsCollection: Sendable {}
