# Answers with something else than JSON.
while read -r line; do
  case $line in *reset*) echo '{"ok":true}' ;; *) echo 'hello' ;; esac
done
