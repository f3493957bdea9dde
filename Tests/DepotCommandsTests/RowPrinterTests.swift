import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct RowPrinterTests {
  let rows = #"[[1,3,"a\"b",5,null],[22,1,"日本, é",-17.5,true]]"#
  let columns = ["name", "size", "isFree"]

  private func output(
    _ format: OutputFormat,
    _ change: (inout RowStyle) -> Void = { _ in }
  ) throws
    -> String
  {
    var style = RowStyle(entity: "Package", format: format)
    change(&style)
    return try Fixture.print(rows, columns: columns, style)
  }

  @Test func `NDJSON has one object in each line`() throws {
    #expect(
      try output(.ndjson) == #"""
        {"$id":"Package/1","name":"a\"b","size":5,"isFree":null}
        {"$id":"Package/22","name":"日本, é","size":-17.5,"isFree":true}

        """#
    )
  }

  @Test func `an export has neither identifier nor version`() throws {
    let text = try output(.ndjson) { $0.showsIdentifier = false }
    #expect(text.hasPrefix(#"{"name":"a\"b","#))
  }

  @Test func `versions are shown when asked for`() throws {
    let both = try output(.ndjson) { $0.showsVersion = true }
    #expect(both.hasPrefix(#"{"$id":"Package/1","$version":3,"name""#))
    let alone = try output(.ndjson) {
      $0.showsVersion = true
      $0.showsIdentifier = false
    }
    #expect(alone.hasPrefix(#"{"$version":3,"name""#))
    #expect(try output(.csv) { $0.showsVersion = true }.hasPrefix("$id,$version,name,"))
  }

  @Test func `CSV has a text that is JSON as import reads it`() throws {
    let text = try output(.csv) { $0.jsonColumns = ["name", "size"] }
    #expect(text.contains(#"Package/1,"""a\""b""",5,"#))
    #expect(try output(.csv).contains(#"Package/1,"a""b",5,"#))
  }

  @Test func `JSON is one array`() throws {
    let value = try JSONValue(parsing: Array(output(.json).utf8))
    #expect(value.array?.count == 2)
    #expect(value.array?.last?["$id"] == .string("Package/22"))
    let empty = try Fixture.print("[]", columns: columns, RowStyle(entity: "P", format: .json))
    #expect(try JSONValue(parsing: Array(empty.utf8)) == .array([]))
  }

  @Test(arguments: OutputFormat.allCases)
  func `nothing is written before the first row or the end`(format: OutputFormat) throws {
    var output: [UInt8] = []
    let sink = ByteSink { output.append(contentsOf: $0) }
    let printer = RowStyle(entity: "Package", format: format).printer(to: sink)
    try printer.begin(columns: ["$id", "$version"] + columns)
    printer.breakOff()
    try sink.flush()
    #expect(output.isEmpty)
  }

  @Test(arguments: OutputFormat.allCases)
  func `rows before an error are shown, and JSON is whole`(format: OutputFormat) throws {
    var output: [UInt8] = []
    let sink = ByteSink { output.append(contentsOf: $0) }
    let printer = RowStyle(entity: "Package", format: format).printer(to: sink)
    try printer.begin(columns: ["$id", "$version"] + columns)
    try Array(rows.utf8).withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        try reader.readIdentity()
        try printer.print(&reader)
        try reader.endRow()
      }
    }
    printer.breakOff()
    try sink.flush()
    #expect(String(decoding: output, as: UTF8.self) == (try self.output(format)))
  }

  @Test func `CSV quotes what must be quoted`() throws {
    #expect(
      try output(.csv)
        == "$id,name,size,isFree\r\nPackage/1,\"a\"\"b\",5,\r\nPackage/22,\"日本, é\",-17.5,true\r\n"
    )
  }

  @Test func `TSV separates by tabs, and null has a text of its own`() throws {
    let text = try output(.tsv) { $0.nullText = "\\N" }
    #expect(text.contains("Package/1\t\"a\"\"b\"\t5\t\\N\n"))
    // Tools of Unix take CR for a part of the last column.
    #expect(!text.contains("\r"))
  }

  @Test func `identifiers stand alone`() throws {
    #expect(try output(.ids) == "Package/1\nPackage/22\n")
  }

  @Test func `a table aligns text left and numbers right`() throws {
    #expect(
      try output(.table) == """
        $id         name      size  isFree
        Package/1   a"b          5
        Package/22  日本, é  -17.5  true

        """
    )
  }

  @Test func `a table without rows is empty`() throws {
    let text = try Fixture.print("[]", columns: columns, RowStyle(entity: "P", format: .table))
    #expect(text.isEmpty)
  }

  @Test func `a table can't move the cursor`() throws {
    let text = try Fixture.print(
      #"[[1,1,"a\u001b[2Jb\n"]]"#,
      columns: ["name"],
      RowStyle(entity: "P", format: .table)
    )
    #expect(text.utf8.allSatisfy { $0 != 0x1B })
    #expect(text.split(separator: "\n").count == 2)
  }
}
