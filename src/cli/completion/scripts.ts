/** Completion scripts for shells. They ask the plugin itself (`__complete`), so they never differ from its commands. */

/** File of the program. */
const FILE = 'kubectl-karmada_operator';

const BASH = `# bash completion of ${FILE}; kubectl completes "kubectl karmada-operator" through kubectl_complete-karmada_operator
_kubectl_karmada_operator() {
  local line lines directive
  mapfile -t lines < <(${FILE} __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  directive="\${lines[-1]:-:4}"
  for line in "\${lines[@]:0:\${#lines[@]}-1}"; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done
  if [[ $directive == :0 ]]; then
    compopt -o default
  fi
}
complete -F _kubectl_karmada_operator ${FILE}
`;

const ZSH = `#compdef ${FILE}
_kubectl_karmada_operator() {
  local -a lines values
  local directive line
  lines=("\${(@f)$(${FILE} __complete "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  directive="\${lines[-1]}"
  for line in "\${(@)lines[1,-2]}"; do
    values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if [[ $directive == :0 ]]; then
    _files
  else
    _describe 'values' values
  fi
}
compdef _kubectl_karmada_operator ${FILE}
`;

const FISH = `# fish completion of ${FILE}
function __kubectl_karmada_operator_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (${FILE} __complete $words[2..-1] 2>/dev/null)
  if test "$lines[-1]" = ":0"
    __fish_complete_path (commandline -ct)
  else
    string match -v -- ':*' $lines
  end
end
complete -c ${FILE} -f -a '(__kubectl_karmada_operator_complete)'
`;

/** Script by shell. */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: BASH,
  fish: FISH,
  zsh: ZSH,
};
