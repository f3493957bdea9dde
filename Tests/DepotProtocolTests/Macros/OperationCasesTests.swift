import Testing

@Suite struct OperationCasesTests {
  @Test func `cases are numbered, and requests pass their own members`() throws {
    let expansion = try Expansion(
      """
      @OperationCases indirect enum Operation {
        case ping
        /// Stores rows.
        case insert(InsertRequest)
        case unpin(String)
        case takeover(store: String)
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined(separator: "\n") == """
        package var ordinal: Int {
          switch self {
          case .ping: 0
          case .insert: 1
          case .unpin: 2
          case .takeover: 3
          }
        }
        mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
          switch self {
          case .insert(var request):
            try request.members(&coder)
            if Coder.isReader { self = .insert(request) }
          default: try values(&coder)
          }
        }
        """
    )
  }

  @Test func `only enumerations have cases`() throws {
    let expansion = try Expansion("@OperationCases struct Operation {}")
    #expect(expansion.messages == ["'@OperationCases' needs an enumeration"])
  }
}
