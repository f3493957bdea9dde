import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct QueryPropertyTests {
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `SQL finds the rows that the predicate means`(seed: UInt64) throws {
    var generator = QueryGenerator(seed: seed)
    let entity = QueryGenerator.entity
    let fixture = try ReaderFixture(Schema(entities: [entity]))
    let rows = (0..<60).map { _ in generator.row() }
    try fixture.insert(rows, into: entity.name)
    let connection = try fixture.reader()
    var found = 0
    for _ in 0..<500 {
      let predicate = generator.predicate()
      let expected = rows.enumerated().compactMap { index, row -> Int64? in
        let identifier = Int64(index + 1)
        let evaluator = QueryEvaluator(entity: entity, row: row, identifier: identifier)
        return evaluator.isTrue(predicate) ? identifier : nil
      }
      let matches = try fixture.matches(predicate, in: entity.name, on: connection)
      #expect(matches == expected, "\(predicate)")
      found += matches.count
      connection.forgetStatements()
    }
    #expect(found > 1000)
  }
}
