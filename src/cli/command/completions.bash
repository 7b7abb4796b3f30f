# Bash parts words at `:` and `=`, so that `kind:file` comes as three of them. The program is asked about whole words, and what
# it offers is cut again to what bash takes for the last one.
_workbench() {
    local IFS=$'\013' line="${COMP_LINE:0:COMP_POINT}" breaks="" words=() word blanks index last cut
    [[ $COMP_WORDBREAKS == *:* ]] && breaks+=":"
    [[ $COMP_WORDBREAKS == *=* ]] && breaks+="="
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word="${COMP_WORDS[index]}"
        blanks="${line%%[![:space:]]*}"
        line="${line:${#blanks}}"
        # The cursor may stand in the middle of a word.
        word="${word:0:${#line}}"
        line="${line:${#word}}"
        last=$((${#words[@]} - 1))
        if [[ -z $blanks && $last -ge 0 && -n $breaks && ( ${words[last]} == *["$breaks"] || $word == ["$breaks"]* ) ]]; then
            words[last]+="$word"
        else
            words+=("$word")
        fi
    done
    last=$((${#words[@]} - 1))
    cut=""
    if [[ -n $breaks && ${words[last]} == *["$breaks"]* ]]; then
        cut="${words[last]%"${words[last]##*["$breaks"]}"}"
    fi
    local space=true
    compopt +o nospace 2> /dev/null && space=false
    COMPREPLY=($(
        _CLAP_IFS="$IFS" _CLAP_COMPLETE_INDEX="$last" _CLAP_COMPLETE_COMP_TYPE="$COMP_TYPE" _CLAP_COMPLETE_SPACE="$space" \
            WORKBENCH_COMPLETE="bash" "workbench" -- "${words[@]}"
    ))
    if [[ $? != 0 ]]; then
        unset COMPREPLY
        return
    fi
    if [[ $space == false && ${COMPREPLY-} =~ [=/:]$ ]]; then
        compopt -o nospace
    fi
    for index in "${!COMPREPLY[@]}"; do
        COMPREPLY[index]="${COMPREPLY[index]#"$cut"}"
    done
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o nosort -F _workbench workbench
else
    complete -o nospace -o bashdefault -F _workbench workbench
fi
