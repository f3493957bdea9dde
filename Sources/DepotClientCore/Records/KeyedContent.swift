/// A dictionary of any type, which isn't a list of its pairs.
protocol KeyedContent {}

extension Dictionary: KeyedContent {}
