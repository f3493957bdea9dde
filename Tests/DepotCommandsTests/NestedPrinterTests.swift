import DepotProtocol
import Testing

@testable import DepotClientCore
@testable import DepotCommands

@Suite struct NestedPrinterTests {
  private func output(_ format: OutputFormat, _ frames: [String]) throws -> String {
    var output: [UInt8] = []
    let sink = ByteSink { output.append(contentsOf: $0) }
    let printer = NestedPrinter(RowStyle(entity: "Trip", format: format), sink)
    for (index, frame) in frames.enumerated() {
      let bytes = Array(frame.utf8)
      let document = try JSONDocument(bytes)
      var reader = try JSONObjectReader(document.root)
      let rows = try reader.required("next").range.lowerBound
      let columns = ["$id", "$version", "name", "country"]
      try printer.print(
        RowFrame(bytes: bytes, offset: rows, columns: index == 0 ? columns : nil)
      )
    }
    printer.end()
    try sink.flush()
    return String(decoding: output, as: UTF8.self)
  }

  static let frame = #"""
    {"id":1,"next":[[1,1,"a\n",7],[2,1,"b",null]],"related":[
    {"path":"country","entity":"Country","columns":["$id","$version","code"],"rows":[[7,1,"IT"]]},
    {"path":"tags","entity":"Tag","columns":["$id","$version","word","owner"],
    "rows":[[3,1,"x",9],[4,1,"y",null]],"links":[[1,[3,4]]]},
    {"path":"tags.owner","entity":"Person","columns":["$id","$version","name"],
    "rows":[[9,1,"P"]]}]}
    """#

  @Test func `rows that came along stand in those that lead to them`() throws {
    #expect(
      try output(.ndjson, [Self.frame]) == #"""
        {"$id":"Trip/1","name":"a\n","country":{"$id":"Country/7","code":"IT"},"tags":[{"$id":"Tag/3","word":"x","owner":{"$id":"Person/9","name":"P"}},{"$id":"Tag/4","word":"y","owner":null}]}
        {"$id":"Trip/2","name":"b","country":null,"tags":[]}

        """#
    )
  }

  @Test func `JSON is one array over all frames`() throws {
    let text = try output(.json, [Self.frame, #"{"id":1,"next":[[3,1,"c",8]]}"#])
    let value = try JSONValue(parsing: text.utf8)
    #expect(value.array?.count == 3)
    #expect(
      value.array?[2]
        == .object(["$id": .string("Trip/3"), "name": .string("c"), "country": .int64(8)])
    )
    #expect(try output(.json, []) == "[]\n")
  }

  @Test func `an error before the first row leaves no output`() throws {
    var output: [UInt8] = []
    let sink = ByteSink { output.append(contentsOf: $0) }
    NestedPrinter(RowStyle(entity: "Trip", format: .json), sink).breakOff()
    try sink.flush()
    #expect(output.isEmpty)
  }
}
