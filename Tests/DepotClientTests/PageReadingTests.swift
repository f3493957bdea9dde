import DepotProtocol
import FoundationEssentials
import FoundationInternationalization
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct PageReadingTests {
  @Test func `a cursor holds the values of the sort keys and the identifier`() throws {
    let sort = [
      SortDescriptor(\Province.country?.name), SortDescriptor(\Province.rank, order: .reverse),
      SortDescriptor(\Province.country?.id),
    ]
    var reading = try PageReading(nil, sort, [], size: 2, after: nil)
    #expect(
      reading.request.select == [
        "name", "rank", "country", "founder", "country.name", "country.$id",
      ]
    )
    #expect(reading.request.limit == 2)
    #expect(reading.request.after == nil)
    let rows = #"[[7,1,"Oslo",1,7,null,"Norway",7],[9,1,"Viken",2,7,null,null,7]]"#
    try Array(rows.utf8).withRows(at: 0, RowReading()) { try reading.append(&$0) }
    let cursor = try #require(reading.page.next)
    #expect(cursor.values == [.null, .int64(2), .int64(7), .int64(9)])
    let next = try PageReading<Province>(nil, sort, [], size: 2, after: cursor)
    #expect(next.request.after == cursor.values)
  }

  @Test func `without sort keys, a cursor is the identifier`() throws {
    var reading = try PageReading<Person>(nil, [], [], size: 1, after: nil)
    try Array(#"[[7,1,"x",3]]"#.utf8).withRows(at: 0, RowReading()) { try reading.append(&$0) }
    #expect(reading.page.next?.values == [.int64(7)])
    #expect(reading.page.batch.records.map(\.name) == ["x"])
  }
}
