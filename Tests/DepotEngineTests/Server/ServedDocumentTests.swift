import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotServer

@Suite struct ServedDocumentTests {
  @Test func `the program has the document of proto-docs, and describes it on one line`() throws {
    let file = URL(filePath: Programs.root).appending(path: "proto-docs/protocol.json")
    #expect(try String(contentsOf: file, encoding: .utf8) == ProtocolDocument.json)
    #expect(!ProtocolDocument.line.contains(0x0A))
    #expect(
      try JSONValue(parsing: ProtocolDocument.line)
        == JSONValue(parsing: ProtocolDocument.json.utf8)
    )
  }
}
