/// The state of a cluster's store in one of its services.
package struct ClusterState: Hashable, Sendable {
  package var safety: ClusterSafety
  /// The number of the service, unique among all services that the store ever had.
  package var service: Int64
  /// The number and total bytes of commits since all pages were last written to the cluster.
  package var commitsSinceBase: Int64
  package var bytesSinceBase: Int
  /// Whether the cluster answered the last commit.
  package var isReachable: Bool
  /// The number of waits for the cluster by the current writing connection.
  package var roundTrips: Int
}
