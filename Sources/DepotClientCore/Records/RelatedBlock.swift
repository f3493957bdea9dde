internal import DepotProtocol

/// The prefetched rows of one relationship for some rows of a fetch, as bytes.
public struct RelatedBlock: Sendable {
  /// The path of the relationship from the rows of the fetch, as in `country` and `tags.owner`.
  public private(set) var path = ""
  /// The entity that the relationship leads to.
  public private(set) var entity = ""
  /// The names of the columns, the identifier and the version first.
  public private(set) var columns: [String] = []
  let bytes: [UInt8]
  private(set) var rows: Int?
  package private(set) var links: Int?

  /// Reads the blocks of a frame, whose rows stay as they are.
  static func all(in frame: [UInt8]) throws(DepotError) -> [RelatedBlock] {
    var blocks: [RelatedBlock] = []
    try frame.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = RowReader(value: bytes)
      try reader.object { (name, value) throws(DepotError) in
        guard name == "related" else {
          _ = try value.text()
          return
        }
        try value.list { (value) throws(DepotError) in
          blocks.append(try RelatedBlock(&value, frame))
        }
      }
    }
    return blocks
  }

  private init(_ reader: inout RowReader, _ bytes: [UInt8]) throws(DepotError) {
    self.bytes = bytes
    var block = (path: "", entity: "", columns: [String](), rows: Int?.none, links: Int?.none)
    try reader.object { (name, value) throws(DepotError) in
      switch name {
      case "path": block.path = try value.next()
      case "entity": block.entity = try value.next()
      case "columns": block.columns = try value.next()
      case "rows":
        block.rows = value.offset
        _ = try value.text()
      case "links":
        block.links = value.offset
        _ = try value.text()
      default: _ = try value.text()
      }
    }
    (path, entity, columns, rows, links) = block
  }
}
