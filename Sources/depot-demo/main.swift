import Foundation

exit(Demo.run(CommandLine.arguments))
