import DepotClient
import DepotProtocol

/// The record of the tests' schema.
struct Item: Record, Hashable {
  var id: Identifier<Item>?
  var version: Int64 = 0
  var name: String
  var n: Int = 0
  var text: String?

  static let entity = "Item"
  static let attributes: RecordAttributes<Item> = [
    .identifier(\.id), .version(\.version), .init(\.name, "name"), .init(\.n, "n"),
    .init(\.text, "text"),
  ]

  init(name: String, n: Int = 0, text: String? = nil) {
    self.name = name
    self.n = n
    self.text = text
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    version = row.version
    name = try row.next()
    n = try row.next()
    text = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(n)
    row.append(text)
  }
}

extension BlockingConnection {
  /// Stores many items, with this much text in each.
  func fill(_ count: Int, textBytes: Int = 20) throws {
    let text = String(repeating: "x", count: textBytes)
    for start in stride(from: 0, to: count, by: 10_000) {
      let items = (start..<min(count, start + 10_000)).map {
        Item(name: "item \($0)", n: $0, text: text)
      }
      try insert(items)
    }
  }
}
