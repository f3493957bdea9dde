import Glibc

// Who starts it may have blocked signals in the thread that does so.
var none = sigset_t()
sigemptyset(&none)
sigprocmask(SIG_SETMASK, &none, nil)

var user = StoreUser()
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  guard let command = words.first else { continue }
  if command == "quit" { exit(0) }
  user.perform(command, Array(words.dropFirst()))
}
// The tests that speak to it are gone.
_exit(1)
