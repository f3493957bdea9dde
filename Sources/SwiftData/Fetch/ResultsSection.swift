/// Results with the same title, as a ``SectionedResults`` has them.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable
{
  /// The value that the results have in common.
  public let title: SectionTitle
  private let elements: ArraySlice<Element>

  init(_ title: SectionTitle, _ elements: ArraySlice<Element>) {
    self.title = title
    self.elements = elements
  }

  public var id: SectionTitle { title }
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[elements.startIndex + position] }
}

/// Results in sections, in the order of their titles.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection
{
  /// The titles of the sections.
  public let sectionTitles: [SectionTitle]
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let positions: [SectionTitle: Int]

  /// - Parameters:
  ///   - results: Results, ordered so that equal titles are next to each other.
  ///   - title: Returns the title of a result.
  init(_ results: [Element], _ title: (Element) -> SectionTitle) {
    var sections: [ResultsSection<Element, SectionTitle>] = []
    var start = 0
    while start < results.count {
      let name = title(results[start])
      var end = start + 1
      while end < results.count, title(results[end]) == name { end += 1 }
      sections.append(ResultsSection(name, results[start..<end]))
      start = end
    }
    self.sections = sections
    sectionTitles = sections.map(\.title)
    positions = Dictionary(first: sectionTitles.enumerated().map { ($0.element, $0.offset) })
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// The section of a title.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    positions[title].map { sections[$0] }
  }

  /// Whether there is a section of a title.
  public func contains(sectionTitle title: SectionTitle) -> Bool { positions[title] != nil }

  /// Returns the position of the section with a title.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { positions[title] }
}
