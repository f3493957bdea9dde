import DepotProtocol
import DepotSQLite
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

@Suite struct ShapedPlanTests {
  @Test func `a plan of a shape is the plan that the call would have by itself`() throws {
    let seeds: Range<UInt64> = TestSupport.seeds(30)
    var shared = 0
    for seed in seeds { shared += try Self.examine(seed) }
    #expect(shared > 10 * seeds.count)
  }

  /// Compares plans in a random world; returns how many calls had the shape of others with other constants.
  private static func examine(_ seed: UInt64) throws -> Int {
    var random = ValueGenerator(seed: seed)
    let world = QueryWorld(using: &random)
    let catalog = Catalog(world.schema, generation: 1)
    var shapes = CallShapes()
    var plans = ShapedPlans<ReadStatement>()
    var shared = 0
    for _ in 0..<40 {
      let entity = random.pick(world.schema.entities).name
      var generator = ExpressionGenerator(world.schema, entity: entity, random)
      let predicate = generator.predicate(3)
      random = generator.random
      let frame = JSONWriter.text {
        $0.write(Call(id: 1, .count(CountRequest(entity: entity, predicate: predicate))))
      }
      for _ in 0..<8 {
        let bytes = Array(Self.exchangingNumbers(frame, using: &random).utf8)
        guard case .call(let call) = try shapes.frame(bytes), call.operation.name == "count" else {
          continue
        }
        if call.form.shape?.variables.isEmpty == false { shared += 1 }
        let expected = Self.read { try ReadStatement(call.operation, in: catalog) }
        let found = Self.read {
          let read = try plans.read(call.operation, call.form, in: catalog)
          var statement = read.plan
          statement.parameters = statement.parameters.indices.map(read.value)
          return statement
        }
        #expect(found == expected, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    return shared
  }

  /// The SQL and the parameters of a statement, those aside that are the time.
  private static func read(
    _ body: () throws -> ReadStatement
  ) -> [String] {
    do {
      let statement = try body()
      return [statement.sql]
        + statement.parameters.map { value in
          guard case .real(let number) = value,
            abs(number - Date().timeIntervalSinceReferenceDate) < 600
          else { return "\(value)" }
          return "now"
        }
    } catch {
      return ["\(error)"]
    }
  }

  /// Returns a frame with other numbers in the places of some of its whole ones.
  private static func exchangingNumbers(
    _ frame: String,
    using random: inout ValueGenerator
  ) -> String {
    let start = frame.range(of: "args")?.upperBound ?? frame.startIndex
    let numbers = #/(?<before>[\[:,])(?<minus>-?)\d+(?=[\],}])/#
    return frame.replacing(numbers, subrange: start..<frame.endIndex) { match in
      let number = random.int(0...9)
      let large = random.chance(1, in: 8) ? "9007199254740993" : "\(number)"
      return "\(match.output.before)\(number == 0 ? "" : match.output.minus)\(large)"
    }
  }
}
