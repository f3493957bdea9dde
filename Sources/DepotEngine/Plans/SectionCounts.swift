internal import DepotProtocol

/// The number of rows in each section, counted while they are streamed.
struct SectionCounts {
  /// The keys as JSON arrays of one element, in their order of appearance.
  private var sections: [(key: [UInt8], count: Int)] = []

  /// Counts a row.
  mutating func add(_ key: [UInt8]) {
    if let last = sections.last, last.key == key {
      sections[sections.count - 1].count += 1
    } else {
      sections.append((key, 1))
    }
  }

  /// Appends the value of `sections`.
  func write(to writer: inout JSONWriter) {
    writer.array(sections) { writer, section in
      writer.raw(section.key.dropLast())
      writer.raw(",")
      writer.integer(section.count)
      writer.raw("]")
    }
  }
}
