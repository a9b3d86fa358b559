# Answers after the time for answers.
while read -r line; do
  case $line in *reset*) echo '{"ok":true}' ;; *) sleep 3; echo '{"out":{"b":0}}' ;; esac
done
