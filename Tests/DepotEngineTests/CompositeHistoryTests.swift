import DepotProtocol
import Testing

@testable import DepotEngine

/// The history of composites with a changed part.
@Suite struct CompositeHistoryTests {
  /// Changes the parts of a node's home, one after the other.
  private static func change(_ store: StoreFixture) async throws {
    try await store.insert("Node", ["name", "home.city", "home.zip"], #"[["a","Ulm",1]]"#)
    try await store.update("Node", [1], ["home.zip"], "[2]")
    try await store.update("Node", [1], ["home.city", "name"], #"["Bonn","b"]"#)
    try await store.update("Node", [1], ["home.zip"], "[null]")
    try await store.update("Node", [1], ["home"], "[null]")
    try await store.delete("Node", [1])
  }

  /// The changed properties of the history's updates, with the old and new values, as texts.
  private static func updates(_ transactions: [JSONValue]) -> [String] {
    transactions.flatMap { $0["changes"]?.array ?? [] }
      .filter { $0["kind"] == .string("update") }.map { change in
        let names = (change["properties"]?.array ?? []).compactMap(\.string)
        func text(_ member: String) -> String {
          (change[member]?.object ?? [:]).filter { $0.key != "upper" }
            .sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
            .joined(separator: " ")
        }
        return
          "\(names.filter { $0 != "upper" }.joined(separator: " ")): \(text("old")) → \(text("new"))"
      }
  }

  private static let expected = [
    #"home.zip: home=true home.city="Ulm" home.zip=1 → home=true home.city="Ulm" home.zip=2"#,
    """
    name home.city: home=true home.city="Ulm" home.zip=2 name="a" → \
    home=true home.city="Bonn" home.zip=2 name="b"
    """,
    """
    home.zip: home=true home.city="Bonn" home.zip=2 → home=true home.city="Bonn" home.zip=null
    """,
    """
    home home.city: home=true home.city="Bonn" home.zip=null → \
    home=false home.city=null home.zip=null
    """,
  ]

  @Test func `a change of a part tells the whole before and after`() async throws {
    try await withPast(.recorded) { store, past in
      try await Self.change(store)
      #expect(Self.updates(try past.history()) == Self.expected)
      #expect(Self.updates(try past.history(#"{"descending":true}"#)) == Self.expected.reversed())
      #expect(
        Self.updates(try past.history(#"{"values":false}"#)).allSatisfy { $0.hasSuffix(":  → ") }
      )
    }
  }

  @Test func `a watch tells the whole too`() async throws {
    try await withLive(.recorded) { live in
      let client = try await live.watch(WatchRequest(.history(HistoryRequest())))
      try await live.settle()
      _ = client.take()
      try await Self.change(live.fixture)
      try await live.settle()
      let transactions = client.take().flatMap { $0["next"]?.array ?? [] }
      #expect(Self.updates(transactions) == Self.expected)
    }
  }
}
