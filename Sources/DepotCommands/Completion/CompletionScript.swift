/// The scripts that make shells ask `depot __complete`.
enum CompletionScript: String, CaseIterable {
  case bash
  case zsh
  case fish

  /// The text of the script.
  ///
  /// A line of `:files` in the answer stands for the names of files, which the shell knows best.
  var text: String {
    switch self {
    case .bash:
      """
      # Completions of depot for bash.
      _depot() {
        local current="${COMP_WORDS[COMP_CWORD]}" candidate
        COMPREPLY=()
        while IFS= read -r candidate; do
          if [[ $candidate == :files ]]; then
            compopt -o default
          else
            COMPREPLY+=("$candidate")
            [[ $candidate == *[=,/.] ]] && compopt -o nospace
          fi
        done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
      }
      complete -F _depot depot

      """
    case .zsh:
      """
      #compdef depot
      # Completions of depot for zsh.
      _depot() {
        local candidate
        local -a candidates open
        while IFS= read -r candidate; do
          case $candidate in
            :files) _files ;;
            *[=,/.]) open+=("$candidate") ;;
            *) candidates+=("$candidate") ;;
          esac
        done < <("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
        (( ${#open} )) && compadd -S '' -- "${open[@]}"
        (( ${#candidates} )) && compadd -- "${candidates[@]}"
      }
      if [ "$funcstack[1]" = "_depot" ]; then
        _depot "$@"
      else
        compdef _depot depot
      fi

      """
    case .fish:
      """
      # Completions of depot for fish.
      function __depot_complete
        set -l words (commandline -opc) (commandline -ct)
        for candidate in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
          if test "$candidate" = :files
            __fish_complete_path (commandline -ct)
          else
            echo $candidate
          end
        end
      end
      complete -c depot -f -a '(__depot_complete)'

      """
    }
  }
}
