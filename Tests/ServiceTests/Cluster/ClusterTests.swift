import TestSupport
import Testing

/// Services whose stores are in clusters of their own, where servers and services stop, lag, or lie.
@Suite(.enabled(if: TemporaryCluster.isAvailable)) enum ClusterTests {}
