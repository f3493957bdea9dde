import DepotProtocol
import FoundationEssentials
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct RecordTests {
  @Test func `a record reads back as it was written`() throws {
    var package = Package(name: "vim \u{1F600}\u{0}", section: "editors", size: .max)
    package.priority = -0.5
    package.isHeld = true
    package.built = Date(timeIntervalSinceReferenceDate: 1.25)
    var plain = Package(name: "", size: .min)
    plain.isEssential = true
    let request = InsertRequest([package, plain], onConflict: .skip)
    #expect(request.columns == Package.attributes.names)
    #expect(request.rows.count == 2)
    var read: [Package] = []
    try request.rows.withIdentity { read.append(try Package(from: &$0)) }
    package.id = Identifier(1)
    package.version = 1
    plain.id = Identifier(2)
    plain.version = 1
    #expect(read == [package, plain])
  }

  @Test func `a row with too few or wrong values is an error`() {
    for text in [#"[[1,1,"vim"]]"#, #"[[1,1,5,null,1,1.0,true,null,"2001-01-01T00:00:00Z"]]"#] {
      #expect(throws: DepotError.self) {
        try Array(text.utf8).withRows(at: 0, RowReading()) { _ = try Package(from: &$0) }
      }
    }
  }

  @Test func `an identifier reads back from its text`() {
    let identifier = Identifier<Package>(42)
    #expect(identifier.description == "Package/42")
    #expect(Identifier<Package>("Package/42") == identifier)
    for text in ["Other/42", "Package/", "Package/x", "Package/1/2", "42", "Package/0"] {
      #expect(Identifier<Package>(text) == nil)
    }
  }

  @Test func `an update names its attributes`() throws {
    let rows = RowSelection([Identifier<Package>(1)])
    let request = try UpdateRequest(
      rows,
      set: [.set(\Package.section, to: "net"), .set(\Package.size, to: 3)]
    )
    #expect(request.columns == ["section", "installedSize"])
    #expect(request.values == RowBatch([[.string("net"), .int64(3)]]))
  }
}

extension RowBatch {
  /// Reads the rows as a reply's, with identifiers from 1 and the version 1.
  func withIdentity(_ body: (inout RowReader) throws -> Void) throws {
    let rows = try JSONDocument(json).root.elements()
    let texts = rows.enumerated().map { index, row in
      "[\(index + 1),1,\(String(decoding: json[row.range].dropFirst(), as: UTF8.self))"
    }
    try Array("[\(texts.joined(separator: ","))]".utf8).withRows(at: 0, RowReading(), body)
  }
}
