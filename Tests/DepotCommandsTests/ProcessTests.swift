import DepotLinux
import Testing

@Suite struct ProcessTests {
  @Test func `a process that has ended isn't there, though nobody has asked how`() throws {
    let process = try ChildProcess(["true"])
    for _ in 0..<10_000 where Process.exists(process.identifier) { Process.sleep(milliseconds: 1) }
    #expect(!Process.exists(process.identifier))
    #expect(process.wait() == 0)
    #expect(Process.exists(Process.identifier))
  }
}
