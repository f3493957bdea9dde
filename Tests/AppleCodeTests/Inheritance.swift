import SwiftData

// A hierarchy of classes, with and without availability.

@Model
class Vehicle {
  var plate: String
  var wheels: Int
  @Relationship(inverse: \Driver.vehicles) var drivers: [Driver] = []

  init(plate: String, wheels: Int) {
    self.plate = plate
    self.wheels = wheels
  }
}

@available(iOS 26, macOS 26, *)
@Model
class Truck: Vehicle {
  var load: Double

  init(plate: String, load: Double) {
    self.load = load
    super.init(plate: plate, wheels: 6)
  }
}

@Model
final class Bicycle: Vehicle {
  var gears: Int = 7

  init(gears: Int) {
    self.gears = gears
    super.init(plate: "", wheels: 2)
  }
}

@Model
final class Driver {
  var name: String
  var vehicles: [Vehicle]?

  init(name: String) { self.name = name }
}
