#!/bin/sh
# The protocol's bones, for measuring the service and not the agent: it is ready at once and
# repeats each prompt's uuid. Its transcripts stand in $QUICK_PROJECT.
session=""
previous=""
for word in "$@"; do
  [ "$previous" = "--session-id" ] || [ "$previous" = "--resume" ] && session="$word"
  [ "$word" = "--version" ] && echo "1.0.0 (quick)" && exit 0
  previous="$word"
done
while read -r line; do
  id=${line##*\"request_id\":\"}
  id=${id%%\"*}
  uuid=${line##*\"uuid\":\"}
  uuid=${uuid%%\"*}
  case "$line" in
    *'"end_session"'*) exit 0 ;;
    *'"initialize"'*)
      echo '{"type":"control_response","response":{"subtype":"success","request_id":"'"$id"'","response":{"account":{"apiKeySource":"quick"}}}}'
      ;;
    *'"type":"user"'*)
      echo '{"type":"user","uuid":"'"$uuid"'"}' >> "$QUICK_PROJECT/$session.jsonl"
      echo '{"type":"system","subtype":"init","session_id":"'"$session"'","model":"quick"}'
      echo '{"type":"assistant","message":{"id":"m","model":"quick","content":[{"type":"text","text":"'"$uuid"'"}],"usage":{"input_tokens":100}}}'
      echo '{"type":"result","is_error":false,"num_turns":1,"result":"'"$uuid"'","terminal_reason":"completed","user_message_uuids":["'"$uuid"'"],"usage":{"input_tokens":100,"output_tokens":1},"modelUsage":{"quick":{"contextWindow":1000}}}'
      ;;
  esac
done
