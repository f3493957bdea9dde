package import Testing

/// One cluster for all tests of a suite, which is ``TemporaryCluster/shared`` for them.
package struct ClusterTrait: SuiteTrait, TestScoping {
  var settings: [String: String]

  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let cluster = try await onThread { [settings] in try TemporaryCluster(settings: settings) }
    try await TemporaryCluster.$current.withValue(cluster) { try await function() }
  }
}

extension Trait where Self == ClusterTrait {
  /// Starts a cluster for the suite, with further settings.
  package static func cluster(settings: [String: String] = [:]) -> Self {
    ClusterTrait(settings: settings)
  }
}

extension TemporaryCluster {
  @TaskLocal static var current: TemporaryCluster?

  /// The cluster of the suite whose test runs.
  ///
  /// - Throws: ``TestFailure`` if the suite isn't one with a cluster.
  package static var shared: TemporaryCluster {
    get throws {
      guard let current else { throw TestFailure("the suite needs the trait .cluster()") }
      return current
    }
  }
}
