import DepotLinux
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

/// Clocks that a test moves.
final class TestClocks: Sendable {
  private let reading: Mutex<ClockReading>

  init(wall: Double = 800_000_000, boot: Double = 1000) {
    reading = Mutex(ClockReading(wall: wall, boot: boot, bootName: "first"))
  }

  var clocks: Clocks { Clocks { self.reading.withLock { $0 } } }

  var now: ClockReading { reading.withLock { $0 } }

  /// Lets time pass.
  func pass(_ seconds: Double) {
    reading.withLock { reading in
      reading.wall += seconds
      reading.boot += seconds
    }
  }

  /// Sets the wall clock.
  func jump(by seconds: Double) { reading.withLock { $0.wall += seconds } }

  /// Turns the machine off for a while, and on again.
  func reboot(off seconds: Double, as name: String) {
    reading.withLock { reading in
      reading = ClockReading(wall: reading.wall + seconds, boot: 0, bootName: name)
    }
  }
}

/// The time of a store.
@Suite struct ServiceClockTests {
  private static let day = 86_400.0

  @Test(arguments: [40 * day, -40 * day, 1, -1, 1e12, -1e12])
  func `a wall clock that jumps makes no store older`(jump: Double) {
    let test = TestClocks()
    var clock = ServiceClock(after: nil, atLeast: 0, test.now)
    test.pass(10)
    test.jump(by: jump)
    #expect(clock.advance(to: test.now) == 10)
    test.pass(3600)
    #expect(clock.advance(to: test.now) == 3610)
    test.jump(by: -jump)
    #expect(clock.advance(to: test.now) == 3610)
  }

  @Test func `a stop counts as far as both clocks agree`() {
    let test = TestClocks()
    let last = ServiceClock(after: nil, atLeast: 100, test.now).record
    func time(after body: () -> Void) -> Double {
      body()
      return ServiceClock(after: last, atLeast: 0, test.now).record.time
    }
    #expect(time { test.pass(50) } == 150)
    #expect(time { test.jump(by: 40 * Self.day) } == 150)
    #expect(time { test.jump(by: -40 * Self.day - 20) } == 130)
    #expect(time { test.jump(by: -Self.day) } == 100)
    #expect(time { test.jump(by: Self.day + 20) } == 150)
    // Nobody knows for how long the machine was off.
    #expect(time { test.reboot(off: 7 * Self.day, as: "second") } == 100)
    #expect(time { test.pass(30) } == 130)
    #expect(time { test.jump(by: -8 * Self.day) } == 100)
  }

  @Test func `the time of day follows the wall clock within a minute, and not at once`() {
    let test = TestClocks()
    var clock = ServiceClock(after: nil, atLeast: 0, test.now)
    let start = test.now.wall
    test.pass(100)
    clock.advance(to: test.now)
    test.jump(by: 3600)
    for _ in 0..<5 {
      test.pass(5)
      #expect(clock.advance(to: test.now) + clock.ahead - start == test.now.boot - 1000)
    }
    test.pass(6)
    #expect(clock.advance(to: test.now) + clock.ahead == test.now.wall)
    // A jump that is over soon leaves no trace.
    test.jump(by: -Self.day)
    test.pass(10)
    clock.advance(to: test.now)
    test.jump(by: Self.day)
    #expect(clock.advance(to: test.now) + clock.ahead == test.now.wall)
  }

  @Test(arguments: seeds(50))
  func `no store is older than it is, whatever happens`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let test = TestClocks()
    var clock = ServiceClock(after: nil, atLeast: 0, test.now)
    // The time that has passed in truth, and the part of it while the service ran.
    var (passed, served) = (0.0, 0.0)
    var isHonest = true
    for step in 0..<200 {
      let before = clock.record.time
      let seconds = Double(Int.random(in: 0...100_000, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        test.jump(by: Double(Int.random(in: -10_000_000...10_000_000, using: &random)))
        isHonest = false
      case 1:
        let last = clock.record
        test.pass(seconds)
        passed += seconds
        clock = ServiceClock(after: last, atLeast: 0, test.now)
      case 2:
        let last = clock.record
        test.reboot(off: seconds, as: "\(step)")
        passed += seconds
        isHonest = isHonest && seconds == 0
        clock = ServiceClock(after: last, atLeast: 0, test.now)
      default:
        test.pass(seconds)
        passed += seconds
        served += seconds
        clock.advance(to: test.now)
      }
      #expect(clock.record.time >= before)
      #expect(clock.record.time <= passed)
      #expect(clock.record.time >= served)
      if isHonest { #expect(clock.record.time == passed) }
    }
  }
}
