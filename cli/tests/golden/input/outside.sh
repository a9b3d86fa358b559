# Answers with a value outside its type.
while read -r line; do
  case $line in *reset*) echo '{"ok":true}' ;; *) echo '{"out":{"b":7}}' ;; esac
done
