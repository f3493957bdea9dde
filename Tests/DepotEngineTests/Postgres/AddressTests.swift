import TestSupport
import Testing

@testable import DepotPostgres

@Suite(.enabled(if: TemporaryCluster.isAvailable))
struct AddressTests {
  @Test(arguments: [
    ("postgresql://user:word@h1:1,h2:2/d%20b?sslmode=require", "postgresql://user@h1:1,h2:2/d%20b"),
    ("postgres://h1,h2:2/b", "postgresql://h1,h2:2/b"),
    ("host=a,b port=1 dbname=x", "postgresql://a:1,b:1/x"),
    ("host=/tmp/a,/tmp/b port=1,2 dbname=x", "postgresql:///x?host=/tmp/a,/tmp/b&port=1,2"),
    ("host=::1 user='a b'", "postgresql://a%20b@[::1]"),
    ("host=h password=word sslpassword=word", "postgresql://h"), ("", "postgresql://"),
  ])
  func `an address is shown without its secrets`(text: String, shown: String) throws {
    let address = try PostgresAddress(parsing: text)
    #expect("\(address)" == shown)
    #expect(address.containsPassword == text.contains("word"))
    // What is shown is an address too, of the same servers.
    let again = try PostgresAddress(parsing: shown)
    for key in ["user", "dbname"] { #expect(again.values[key] == address.values[key]) }
  }

  @Test(arguments: ["nonsense", "postgresql://h/d?nothing=1", "host='", "a\0=b"])
  func `what is no address is refused with an example`(text: String) {
    let error = #expect(throws: PostgresError.self) { try PostgresAddress(parsing: text) }
    #expect(error?.kind == .invalidAddress)
    #expect(error?.message.contains("postgresql://app@db1/app") == true)
    #expect(kind { _ = try PostgresConnection(text) } == .invalidAddress)
  }

  @Test(arguments: [
    "postgresql://u:hunter2@h/d?hunter2=1", "password=hunter2 hunter2",
    "sslPassword hunter2 = 'hunter2",
  ])
  func `a refusal doesn't tell a password`(text: String) {
    let error = #expect(throws: PostgresError.self) { try PostgresAddress(parsing: text) }
    #expect(error.map { "\($0)" }?.contains("hunter2") == false)
  }

  @Test func `each host has its port`() {
    let servers = PostgresAddress.servers(of: ["host": "a,b", "port": "1,2", "user": "u"])
    #expect(
      servers == [
        ["host": "a", "port": "1", "user": "u"], ["host": "b", "port": "2", "user": "u"],
      ]
    )
    let same = PostgresAddress.servers(of: ["host": "a,b", "hostaddr": "1.1.1.1,", "port": "7"])
    #expect(same.map { $0["port"] } == ["7", "7"])
    #expect(same.map { $0["hostaddr"] } == ["1.1.1.1", ""])
  }

  @Test(arguments: [
    ["host": "a"], ["host": "a,b", "port": "1,2,3"],
    ["host": "a,b", "target_session_attrs": "prefer-standby"],
    ["host": "a,b", "load_balance_hosts": "random"], [:],
  ])
  func `libpq chooses where we can't`(values: [String: String]) {
    #expect(PostgresAddress.servers(of: values) == [values])
  }

  @Test func `a library that is missing or too old is told`() {
    let missing = #expect(throws: PostgresError.self) {
      try PostgresLibrary(opening: "libnone.so.1")
    }
    #expect(missing?.kind == .missingLibrary)
    #expect(missing?.message.contains("libpq5") == true)
    let old = #expect(throws: PostgresError.self) { try PostgresLibrary(opening: "libc.so.6") }
    #expect(old?.kind == .missingLibrary)
    #expect(old?.message.contains("version 14") == true)
  }
}
