import DepotProtocol
import FoundationEssentials
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct SnapshotTests {
  @Test func `only a read of a pin names it, and is never sent on another connection`() {
    var read = PendingCall(.count(CountRequest(entity: "Item")), pin: "p")
    #expect(read.canBeSentAgain)
    #expect(read.send(as: 1, now: 0).pin == "p")
    #expect(!read.canBeSentAgain)
    var other = PendingCall(.ping, pin: "p")
    #expect(other.send(as: 2, now: 0).pin == nil)
    #expect(other.canBeSentAgain)
    var latest = PendingCall(.count(CountRequest(entity: "Item")))
    _ = latest.send(as: 3, now: 0)
    #expect(latest.canBeSentAgain)
    var unpin = PendingCall(.unpin("p"))
    _ = unpin.send(as: 4, now: 0)
    #expect(!unpin.canBeSentAgain)
  }

  @Test func `a cursor is the same after it was stored`() throws {
    let values: [Value] = [
      .null, .int64(.max), .double(0.1), .string("a\u{0}\"ü"), .bool(true),
      .date(Date(timeIntervalSinceReferenceDate: 0.5)), .int64(7),
    ]
    let cursor = PageCursor(values: values)
    let data = try JSONEncoder().encode([cursor])
    let again = try JSONDecoder().decode([PageCursor].self, from: data)
    var (first, second) = (JSONWriter(), JSONWriter())
    for value in values { first.write(value) }
    for value in again[0].values { second.write(value) }
    #expect(first.bytes == second.bytes)
  }

  @Test func `writes to what is enumerated are refused, until the last enumeration ends`() {
    var enumerations = Enumerations()
    let delete = Operation.delete(DeleteRequest(entity: "Item", rows: .identifiers([1])))
    let save = Operation.save(
      SaveRequest(deletes: [SaveRequest.Deletion(entity: "Item", identifiers: [1])])
    )
    #expect(enumerations.refusal(of: delete) == nil)
    enumerations.begin("Item")
    enumerations.begin("Item")
    #expect(enumerations.refusal(of: delete)?.code == .enumerating)
    #expect(enumerations.refusal(of: save)?.code == .enumerating)
    let other = Operation.delete(DeleteRequest(entity: "Other", rows: .identifiers([1])))
    #expect(enumerations.refusal(of: other) == nil)
    enumerations.end("Item")
    #expect(enumerations.refusal(of: delete) != nil)
    enumerations.end("Item")
    #expect(enumerations.refusal(of: delete) == nil)
  }
}
