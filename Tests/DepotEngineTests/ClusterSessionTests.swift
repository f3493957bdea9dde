import Testing

@testable import DepotEngine

/// What is found out about a cluster before a store is put into it.
@Suite struct ClusterSessionTests {
  @Test(arguments: [
    "PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit",
    "PostgreSQL 12.22 on aarch64-unknown-linux-gnu", "PostgreSQL 18beta1 on x86_64-pc-linux-gnu",
  ])
  func `PostgreSQL is certified`(version: String) {
    #expect(ClusterSession.isCertified(version, hasCitus: false))
    #expect(!ClusterSession.isCertified(version, hasCitus: true))
  }

  @Test(arguments: [
    "CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15 21:28:29, go1.22.2)",
    "PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6",
    "PostgreSQL 15.2-YB-2024.2.0.0-b145 on x86_64-pc-linux-gnu", "CrateDB 5.8.1",
    "PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:0123) on x86_64-pc-linux-gnu",
    "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc 3.4.2, Redshift 1.0.75379",
    "PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB",
    "PostgreSQL 11.22 on x86_64-pc-linux-gnu", "PostgreSQL ", "",
  ])
  func `an engine that speaks like PostgreSQL, or is too old, is not`(version: String) {
    #expect(!ClusterSession.isCertified(version, hasCitus: false))
  }
}
