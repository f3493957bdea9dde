import Testing

@testable import DepotCommands

@Suite struct NumbersTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (63_666, "63,666"), (1_234_567, "1,234,567"),
    (-1234, "-1,234"),
  ])
  func `digits stand in groups of three`(number: Int, text: String) {
    #expect(Numbers.grouped(number) == text)
  }

  @Test(arguments: [
    (1, "row", "1 row"), (0, "row", "0 rows"), (2, "copy", "2 copies"), (1, "copy", "1 copy"),
    (2000, "key", "2,000 keys"),
  ])
  func `a noun is in the number that it is counted in`(count: Int, noun: String, text: String) {
    #expect(Numbers.counted(count, noun) == text)
  }

  @Test(arguments: [
    (0.0004, "0.4 ms"), (0.012, "12 ms"), (1.24, "1.2 s"), (59.97, "1:00 min"), (185, "3:05 min"),
    (7384, "2:03:04 h"), (90_000, "1 d 1 h"),
  ])
  func `a time span has the unit that suits it`(seconds: Double, text: String) {
    #expect(Numbers.span(seconds: seconds) == text)
  }

  @Test(arguments: [
    (1, "1 byte"), (1023, "1,023 bytes"), (3482, "3.4 KiB"), (17 << 20, "17.0 MiB"),
  ])
  func `a size has the unit that suits it`(bytes: Int, text: String) {
    #expect(Numbers.size(bytes: bytes) == text)
  }
}
