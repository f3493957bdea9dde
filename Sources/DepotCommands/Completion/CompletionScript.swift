/// The scripts that make shells call `depot __complete`.
enum CompletionScript: String, CaseIterable {
  case bash
  case zsh
  case fish

  /// The text of the script.
  ///
  /// A line `:files` in the answer stands for file names, which the shell completes best; `:open`
  /// says that no space must follow. bash and zsh pass the whole line as it was typed, since only
  /// depot knows where a predicate in an open quotation mark begins.
  var text: String {
    switch self {
    case .bash:
      """
      # Completions of depot for bash.
      _depot() {
        local rest is_open
        local line="${COMP_LINE:0:COMP_POINT}"
        COMPREPLY=()
        while IFS= read -r rest; do
          case $rest in
            :files) compopt -o default ;;
            :open) is_open=1; compopt -o nospace ;;
            *)
              COMPREPLY+=("$2$rest")
              [[ $2$rest == *[=,/.\\(:] ]] && compopt -o nospace
              ;;
          esac
        done < <("$1" __complete --line "$line" 2>/dev/null)
        # bash closes the quotation mark behind the only choice; another one keeps it open.
        [[ $is_open && ${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY+=("${COMPREPLY[0]} …")
      }
      complete -F _depot depot

      """
    case .zsh:
      """
      #compdef depot
      # Completions of depot for zsh.
      _depot() {
        local answer rest choice description is_open
        local -a open open_shown closed closed_shown
        local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX"
        while IFS= read -r answer; do
          case $answer in
            :files) _files; return ;;
            :open) is_open=1; continue ;;
          esac
          rest=${answer%%$'\\t'*}
          choice=${${answer#*$'\\t'}%%$'\\t'*}
          description=${answer##*$'\\t'}
          [[ -n $description ]] && choice+="  -- $description"
          if [[ -n $is_open || $PREFIX$rest == *[=,/.\\(:] ]]; then
            open+=("$PREFIX$rest")
            open_shown+=("$choice")
          else
            closed+=("$PREFIX$rest")
            closed_shown+=("$choice")
          fi
        done < <("${words[1]}" __complete --describe --line "$line" 2>/dev/null)
        (( ${#open} )) && compadd -Q -l -d open_shown -S '' -- "${open[@]}"
        (( ${#closed} )) && compadd -Q -l -d closed_shown -- "${closed[@]}"
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
        set -l words (commandline -opc)
        set -l current (commandline -ct)
        for candidate in ($words[1] __complete --describe -- $words[2..-1] "$current" 2>/dev/null)
          if test "$candidate" = :files
            __fish_complete_path "$current"
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
