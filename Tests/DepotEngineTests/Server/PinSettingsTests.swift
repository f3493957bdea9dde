import DepotProtocol
import Testing

@testable import DepotServer

@Suite struct PinSettingsTests {
  @Test func `how long pins last and logs are can be set`() throws {
    var configuration = ServerConfiguration()
    #expect(configuration.pinMilliseconds == 60_000)
    #expect(configuration.logBytes == 256 << 20)
    try configuration.apply("pin-ms", "500")
    try configuration.apply("log-mib", "8")
    #expect(configuration.pinMilliseconds == 500)
    #expect(configuration.logBytes == 8 << 20)
    #expect(throws: DepotError.self) { try configuration.apply("log-mib", "7") }
    #expect(throws: DepotError.self) { try configuration.apply("pin-ms", "0") }
  }
}
