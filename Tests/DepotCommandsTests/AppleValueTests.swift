import DepotProtocol
import Foundation
import Testing

@testable import DepotCommands

/// The parts of a store of Core Data that aren't tables: its packed model, and values in files.
@Suite struct AppleValueTests {
  private static func bytes(_ base64: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: base64)))
  }

  @Test func `what zlib packed in each of its ways is unpacked`() throws {
    let stored = try Inflate.unpack(Self.bytes("AQkA9v9hYmNhYmNhYmM="))
    #expect(stored == Array("abcabcabc".utf8))
    let fixed = try Inflate.unpack(Self.bytes("S0xKThxFxCEA"))
    #expect(fixed == Array(String(repeating: "abc", count: 100).utf8))
    let framed = try Inflate.unpack(Self.bytes("eNpLTEpOHEXEIQCITXLZ"))
    #expect(framed == fixed)
  }

  @Test func `dynamic codes are unpacked, and every cut of them is refused`() throws {
    let packed = try Self.bytes(Self.dynamic)
    let unpacked = try Inflate.unpack(packed)
    #expect(unpacked.count == 1311)
    #expect(unpacked.reduce(0) { ($0 &* 31) &+ UInt32($1) } == 2_617_630_682)
    for count in packed.indices.dropLast() {
      #expect(throws: DepotError.self) { try Inflate.unpack(Array(packed[..<count])) }
    }
  }

  private static let dynamic = """
    K0hMT1XgS0ktyC9RgJD76opL8otSFSBkAUg+FiLjDhGCcDAUYQggiSL4yDaBBeZAVHxDltjOuZsF2a5asMoG\
    7Aag24CkCkkeQ1sDsjiSQmck85AkPcIQhk+FKLGMhtC6aHbjdgpOIgKrTzTCkYQDMQMf2U/IoS+EZC+yys19\
    2OyGqLi2F0IfRnIEA0LRASThr9jjFMH3xLTalQ0lPpFM+IOuG0fUNUI47LeOQhjTwSoYJ0F4IWCeH5JeDOZ5\
    zICCRmQcckCaYwQeK1jkF0Yix5GAwMwXGKkI2cTjGOK+EEoLa2I+CianExP1IugR9w4jWx7Fmj4xgosbSctU\
    TG9rgCXiwKQSsoQYsnnPMYyt1Icok0SSuYDsj2gcIYek/ieOUmc+eqLWxAwyjODAcCFEDlokAgA=
    """

  private static let list = """
    YnBsaXN0MDDUAQIDBAUMDRBRYVFkUW5RdaYGBwgJCgsQARP//////////gkjQAQAAAAAAABReGEA/EIAAdEO\
    D1FtEQEsgAcIERMVFxkgIissNTc6PUBCRQAAAAAAAAEBAAAAAAAAABEAAAAAAAAAAAAAAAAAAABH
    """

  @Test func `a property list has its values, and no damage of it traps`() throws {
    let bytes = try Self.bytes(Self.list)
    let list = try PropertyList(bytes)
    let values: [PropertyList] = [
      .integer(1), .integer(-2), .bool(true), .real(2.5), .string("x"), .string("ü"),
    ]
    #expect(list["a"] == .array(values))
    #expect(list["u"] == .reference(7))
    #expect(list["d"] == .data([0, 1]))
    #expect(list["n"]?["m"] == .integer(300))
    for place in bytes.indices {
      for value in [0, 0x0F, 0x7F, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] = value
        _ = try? PropertyList(damaged)
      }
      _ = try? PropertyList(Array(bytes[..<place]))
    }
  }

  @Test func `a property list that stands for much more than it is is refused`() throws {
    let (count, size) = (3000, 60_000)
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    // A list of one value again and again.
    var bytes = Array("bplist00".utf8) + [0xAF, 0x12] + number(count, 4)
    bytes += [UInt8](repeating: 1, count: count)
    let data = bytes.count
    bytes += [0x4F, 0x12] + number(size, 4) + [UInt8](repeating: 7, count: size)
    let table = bytes.count
    bytes += number(8, 4) + number(data, 4)
    bytes += [0, 0, 0, 0, 0, 0, 4, 1] + number(2, 8) + number(0, 8) + number(table, 8)
    let error = #expect(throws: DepotError.self) { try PropertyList(bytes) }
    #expect(error?.code == .corrupt)
  }

  @Test func `a value in a file is told from others`() throws {
    let name = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
    #expect(AppleSupport.name([2] + Array(name.utf8) + [0]) == name)
    #expect(AppleSupport.name([1] + Array(name.utf8) + [0]) == nil)
    #expect(AppleSupport.name([2] + Array(name.utf8)) == nil)
    #expect(AppleSupport.name([2] + Array(repeating: 65, count: 36) + [0]) == nil)
    let support = AppleSupport(of: "/nowhere/default.store")
    #expect(try support.value(of: [1, 5, 6]) == [5, 6])
    let error = #expect(throws: DepotError.self) {
      try support.value(of: [2] + Array(name.utf8) + [0])
    }
    #expect(error?.code == .fileNotFound)
  }
}
