import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// Bits that flip in every page of a store, and everything that can be read from it.
///
/// The answers of the sound store decide what may be told: the same, or an error after a part of it.
extension FaultTests {
  @Suite struct PageFlipTests {
    private static let schema = #"""
      {"version":"1.0.0","entities":[{"name":"Country","attributes":[{"name":"name","type":"string",\#
      "unique":true},{"name":"area","type":"double","optional":true,"indexed":true},\#
      {"name":"cityCount","type":"int64","derived":"cities.@count"}],"relationships":[\#
      {"name":"cities","destination":"City","toMany":true,"inverse":"country","ordered":true},\#
      {"name":"tags","destination":"Tag","toMany":true,"inverse":"countries","ordered":true}]},\#
      {"name":"City","attributes":[{"name":"name","type":"string","spotlight":true},\#
      {"name":"lat","type":"double"},{"name":"lon","type":"double"},\#
      {"name":"text","type":"string","optional":true}],"relationships":[\#
      {"name":"country","destination":"Country","inverse":"cities","optional":true}],\#
      "rangeIndexes":[["lat","lon"]]},{"name":"Tag","attributes":[{"name":"name","type":"string"}],\#
      "relationships":[{"name":"countries","destination":"Country","toMany":true,"inverse":"tags"}]},\#
      {"name":"Photo","attributes":[{"name":"title","type":"string"},{"name":"image","type":"data",\#
      "optional":true,"externalStorage":true}]}]}
      """#

    /// Everything that is asked: operation, arguments.
    private static let reads: [(String, String)] = [
      ("fetch", #"{"entity":"Country"}"#),
      ("fetch", #"{"entity":"City"}"#),
      ("fetch", #"{"entity":"City","select":["name","text"],"sort":[{"attribute":"name"}]}"#),
      ("fetch", #"{"entity":"City","select":["country.name","lat"],"where":"country.area > 10"}"#),
      ("fetch", #"{"entity":"Country","select":["name","cities","tags"]}"#),
      (
        "fetch", #"{"entity":"Country","select":["area"],"sort":[{"attribute":"area"}],"limit":50}"#
      ),
      ("fetch", #"{"entity":"Country","where":"area BETWEEN {20, 30}","select":["name"]}"#),
      ("fetch", #"{"entity":"Country","where":"ANY tags.name == \"tag 3\"","select":["name"]}"#),
      ("fetch", #"{"entity":"Country","where":"cityCount > 5","select":["cityCount"]}"#),
      ("fetch", #"{"entity":"City","where":"lat BETWEEN {40, 42} AND lon > 1","select":["name"]}"#),
      ("fetch", #"{"entity":"City","where":"SELF MATCHES TEXT \"river\"","select":["name"]}"#),
      ("fetch", #"{"entity":"Photo","select":["title","image.$length"]}"#),
      ("get", #"{"entity":"City","ids":[1,77,150,299]}"#),
      ("get", #"{"entity":"Country","ids":[5],"select":["name"]}"#),
      ("count", #"{"entity":"City"}"#),
      ("count", #"{"entity":"City","where":"text CONTAINS \"xx\""}"#),
      ("count", #"{"entity":"Country","where":"area >= 0"}"#),
      ("aggregate", #"{"entity":"City","values":[{"name":"m","aggregate":"max","of":"lat"}]}"#),
      (
        "aggregate",
        #"{"entity":"City","by":["country"],"values":[{"name":"n","aggregate":"count"}]}"#
      ),
      ("blob.read", #"{"entity":"Photo","id":1,"attribute":"image"}"#),
      ("history", #"{"values":true}"#),
    ]

    private static func makeStore() throws -> Place {
      let place = try Place()
      let daemon = try place.start()
      guard place.connect(daemon) != nil else { throw TestFailure(place.text(of: place.log)) }
      let lines = try LineConnection(place.socket)
      func insert(_ entity: String, _ columns: [String], _ rows: [String]) throws {
        let names = columns.map { "\"\($0)\"" }.joined(separator: ",")
        let list = rows.joined(separator: ",")
        let request = #"{"entity":"\#(entity)","columns":[\#(names)],"rows":[\#(list)]}"#
        try lines.demand("insert", request)
      }
      try lines.demand("schema.define", #"{"schema":\#(schema)}"#)
      try insert("Tag", ["name"], (1...20).map { #"["tag \#($0)"]"# })
      try insert(
        "Country",
        ["name", "area", "tags"],
        (1...60).map { #"["country \#($0)",\#($0).5,[\#($0 % 20 + 1),\#(($0 + 7) % 20 + 1)]]"# }
      )
      let long = String(repeating: "xyz ", count: 3000)
      try insert(
        "City",
        ["name", "lat", "lon", "country", "text"],
        (1...300).map { number in
          let text = number % 60 == 0 ? long : String(repeating: "x", count: number % 90)
          let name = "city \(number) by the \(number % 3 == 0 ? "river" : "sea")"
          let place = "\(number % 60),\(Double(number) / 10)"
          return #"["\#(name)",\#(place),\#(number % 60 + 1),"\#(text)"]"#
        }
      )
      try insert("Photo", ["title"], [#"["a"]"#, #"["b"]"#])
      let image = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7) }).base64EncodedString()
      let blob = #"{"entity":"Photo","id":1,"attribute":"image","offset":0,"data":"\#(image)"}"#
      try lines.demand("blob.write", blob)
      try lines.demand("update", #"{"entity":"City","where":"lat < 9","set":{"text":"changed"}}"#)
      try lines.demand("delete", #"{"entity":"City","where":"lat == 50"}"#)
      try place.connect(daemon)?.shutdown()
      daemon.wait()
      return place
    }

    private struct Files {
      let place: Place
      let content: [String: Data]

      init(_ place: Place) throws {
        self.place = place
        var content: [String: Data] = [:]
        for suffix in ["", "-wal", ".state"] {
          content[suffix] = try Data(contentsOf: URL(filePath: place.store + suffix))
        }
        self.content = content
      }

      func put(_ main: Data) throws {
        for (suffix, data) in content {
          try (suffix.isEmpty ? main : data).write(to: URL(filePath: place.store + suffix))
        }
      }
    }

    /// Asks everything; `nil` if the daemon refuses to serve.
    private static func answers(_ place: Place) throws -> [LineConnection.Answer]? {
      let daemon = try place.start()
      defer {
        daemon.signal(SIGKILL)
        daemon.wait()
      }
      guard place.connect(daemon) != nil else { return nil }
      let lines = try LineConnection(place.socket)
      return try reads.map { try lines.call($0.0, $0.1) }
    }

    /// Proved by pages with a flipped bit and a right checksum, of which wrong answers are found.
    @Test func `a flipped bit in any page is told as damage, or changes nothing`() async throws {
      try await onThread {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("The seed of the flips is \(seed).")
        var random = SeededGenerator(seed: seed)
        let place = try Self.makeStore()
        let files = try Files(place)
        let sound = try #require(files.content[""])
        let model = try #require(try Self.answers(place))
        for (read, answer) in zip(Self.reads, model) {
          #expect(answer.error == nil, "\(read): \(answer.error?.text ?? "")")
        }
        let pages = sound.count / Place.pageSize
        #expect(pages > 60)
        var noticed = Set<Int>()
        var refused: [String] = []
        let stampPlaces = [24..<28, 92..<96].joined()
        let flips = (0..<pages).map { page in
          (page, byte: Int.random(in: 0..<Place.pageSize, using: &random))
        }
        for (page, byte) in flips + stampPlaces.map({ (0, byte: $0) }) {
          var damaged = sound
          damaged[page * Place.pageSize + byte] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
          try files.put(damaged)
          let check = try place.check()
          #expect(check.status == 74, "page \(page + 1): \(check.output)")
          guard let answers = try Self.answers(place) else {
            refused.append(check.output)
            continue
          }
          // The state beside the file knows the stamps that the first page may have.
          let isStamp = page == 0 && stampPlaces.contains(byte)
          let told = isStamp ? "is half written; the next start mends it" : "is damaged"
          #expect(check.output.contains(told), "page \(page + 1), byte \(byte): \(check)")
          #expect(isStamp || check.output.contains("Page \(page + 1) of the store"), "\(check)")
          for (number, answer) in answers.enumerated() {
            #expect(
              answer.isPart(of: model[number]),
              "page \(page + 1), seed \(seed): \(Self.reads[number]) told \(answer)"
            )
            if answer.error != nil { noticed.insert(number) }
          }
        }
        for (number, read) in Self.reads.enumerated() {
          #expect(noticed.contains(number), "no page is needed for \(read)")
        }
        // Only what a store must know of itself keeps it from being served.
        let ownTables = ["first page", "list of tables", "the table depot_", "the history"]
        for output in refused { #expect(ownTables.contains(where: output.contains), "\(output)") }
        #expect(refused.count < pages / 5)
        #expect(try Self.findsWrongAnswers(files, sound, model, &random))
      }
    }

    /// Whether wrong answers are found if the checksums don't tell.
    private static func findsWrongAnswers(
      _ files: Files,
      _ sound: Data,
      _ model: [LineConnection.Answer],
      _ random: inout SeededGenerator
    ) throws -> Bool {
      for _ in 0..<200 {
        let page = Int.random(in: 1..<sound.count / Place.pageSize, using: &random)
        var bytes = [UInt8](
          sound[page * Place.pageSize..<(page + 1) * Place.pageSize]
        )
        bytes[Int.random(in: 1500..<Place.pageSize - 16, using: &random)] ^= 1
        var damaged = sound
        damaged.replaceSubrange(
          page * Place.pageSize..<(page + 1) * Place.pageSize,
          with: PageChecksum.sealing(bytes, number: UInt32(page + 1))
        )
        try files.put(damaged)
        let answers = try answers(files.place)
        if let answers, zip(answers, model).contains(where: { !$0.isPart(of: $1) }) { return true }
      }
      return false
    }
  }
}
