#!/bin/sh
# curl with --retry, and its driver for the judge of clients.
out=$(mktemp)
err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
field() { printf %s "$line" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }

while read -r line; do
  id=$(field id) status=$(field status) limit=$(field limit)
  set -- --silent --show-error --fail-with-body --retry 2 --output "$out" -H "Authorization: Bearer $PETS_KEY"
  case $(field call) in
    list) set -- "$@" --get ${status:+-d "status=$status"} ${limit:+-d "limit=$limit"} "$PETS_URL/pets" ;;
    get) set -- "$@" "$PETS_URL/pets/$(field petId)" ;;
    create)
      pet=$(printf %s "$line" | sed 's/"id":[0-9]*,"call":"create",//')
      set -- "$@" -H 'Content-Type: application/json' --data "$pet" "$PETS_URL/pets"
      ;;
    *) echo "{\"id\":$id,\"unsupported\":true}" && continue ;;
  esac
  : >"$out"
  if curl "$@" 2>"$err"; then printf '{"id":%s,"result":%s}\n' "$id" "$(tr -d '\n' <"$out" | grep . || echo null)"
  else printf '{"id":%s,"error":"%s"}\n' "$id" "$(cat "$err" "$out" | tr '\n"\\' '   ')"
  fi
done
