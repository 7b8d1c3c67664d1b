#!/usr/bin/env bash
# Stores a file through the API, from sign-up to confirmed transactions, on a running `npm start`:
#   examples/store.sh FILE MEDIA_TYPE BLOCKCHAIN
set -euo pipefail
if [ $# != 3 ] || [ ! -f "$1" ]; then
  [ $# = 3 ] && echo "There is no file $1." >&2
  echo "Usage: $0 FILE MEDIA_TYPE BLOCKCHAIN, such as $0 examples/picture.jpg image/jpeg Nativecoin" >&2
  exit 2
fi
file=$1 mimetype=$2 blockchain=$3
api=${BASE_URL:-http://127.0.0.1:${PORT:-8787}}
devnet=http://127.0.0.1:${DEVNET_PORT:-18787}
email="ann.$(date +%s).$$@example.com"
password=Correct1horse

json() { node -p "const o = JSON.parse(require('fs').readFileSync(0)); $1"; }
send() {
  local answer status
  answer=$(curl -sS -w '\n%{http_code}' -X "$1" "$api$2" -H "Authorization: Bearer ${token:-}" -H 'Content-Type: application/json' "${@:3}")
  status=${answer##*$'\n'}
  if [ "$status" -ge 400 ] && [ "$status" != 402 ]; then
    echo "$1 $2 was answered $status: ${answer%$'\n'*}" >&2
    return 1
  fi
  echo "${answer%$'\n'*}"
}
if ! curl -sS -o /dev/null "$api/v0/health"; then
  echo "Nothing answers at $api. Run npm start first; PORT and DEVNET_PORT say where it is when it is not here." >&2
  exit 1
fi
say() { printf '%-8s %s\n' "$1" "$2"; }

send POST /v0/user -d "{\"email\":\"$email\",\"password\":\"$password\",\"firstName\":\"Ann\",\"lastName\":\"Lee\"}" >/dev/null
link=
until [ -n "$link" ]; do
  sleep 0.2
  link=$(curl -sS "$devnet/outbox" | json "o.find((mail) => mail.to === '$email')?.text.match(/http\\S*verify\\?token=\\S*/)[0] ?? ''")
done
curl -sS -o /dev/null --data-urlencode "token=${link##*token=}" --data-urlencode "password=$password" "${link%%\?*}"
say account "$email, address confirmed by the mailed link"

token=$(send POST /v0/token -d "{\"email\":\"$email\",\"password\":\"$password\"}" | json o.accessToken)
size=$(wc -c <"$file")
item=$(send POST /v0/item -d "{\"name\":\"$(basename "$file")\",\"mimetype\":\"$mimetype\",\"blockchain\":\"$blockchain\",\"size\":$size}")
id=$(json o.id <<<"$item") chunk=$(json o.chunkSize <<<"$item") chunks=$(json o.chunks <<<"$item")
for ((index = 0; index < chunks; index++)); do
  dd if="$file" bs="$chunk" skip="$index" count=1 status=none |
    curl -sS -X PUT "$api/v0/item/$id/chunk/$index" -H "Authorization: Bearer $token" --data-binary @-
done
say upload "$id, $size bytes in $chunks chunks"

merged=$(send POST "/v0/item/$id/merge")
while [ "$(json o.status <<<"$merged")" = '201 Created' ]; do
  sleep 0.5
  merged=$(send POST "/v0/item/$id/merge")
done
say merge "$(json '`${o.storedSize} bytes to store${o.transactions ? ` in ${o.transactions} transactions` : ""}: ${o.status}`' <<<"$merged")"

request=$(send POST /v0/payment -d "{\"blockchain\":\"$blockchain\",\"ids\":[\"$id\"]}")
say pay "$(json o.message <<<"$request")"
chain=$([ "$blockchain" = IPFS ] && echo Nativecoin || echo "$blockchain")
curl -sS -u devnet:devnet "$devnet/$chain" -o /dev/null \
  -d "{\"id\":1,\"method\":\"sendtoaddress\",\"params\":[$(json 'JSON.stringify(o.address)' <<<"$request"),$(json o.amount <<<"$request")]}"

item=$(send GET "/v0/item/$id")
told=
while [ "$(json o.status <<<"$item")" != '200 OK' ]; do
  now=$(json '`${o.status}: ${o.written} of ${o.transactions ?? 0} written, ${o.confirmed} confirmed`' <<<"$item")
  [ "$now" = "$told" ] || say wait "$now"
  told=$now
  sleep 1
  item=$(send GET "/v0/item/$id")
done
say stored "$(json '(o.txids ?? []).join(" ") || o.cid' <<<"$item" | cut -c1-64)"
curl -sS "$api/v0/content/$id" | cmp - "$file"
say read "back, byte for byte, at $api/v0/content/$id"
# In full: this is what a page takes.
say embed "$(json o.embed <<<"$item")"
