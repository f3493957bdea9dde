#!/usr/bin/env bash
# Two services on one temporary PostgreSQL cluster, whose primary is killed while both are used.
#
# cluster.sh PROGRAMS: the folder of depotd and depot. However it ends, nothing of it is left.
set -euo pipefail
programs=$(cd "${1:?the folder of depotd and depot}" && pwd)
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$postgres" ] || { echo "cluster.sh: PostgreSQL is missing; apt install postgresql" >&2; exit 69; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/depot-demo-XXXXXX")
chmod 755 "$folder"
mkdir "$folder"/n1 "$folder"/n2
as_user=()
if [ "$(id -u)" = 0 ]; then
  as_user=(setpriv --reuid postgres --regid postgres --init-groups)
  chown postgres "$folder"/n1 "$folder"/n2
fi
children=()

finish() {
  trap '' EXIT INT TERM HUP
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  for node in n1 n2; do
    [ ! -e "$folder/$node/data/postmaster.pid" ] \
      || server pg_ctl -D "$folder/$node/data" -m immediate -s stop 2>/dev/null || true
  done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

start=${EPOCHREALTIME/./}
say() { local t=$((${EPOCHREALTIME/./} - start)); printf '%2d.%d  %s\n' $((t / 1000000)) $((t / 100000 % 10)) "$*"; }
server() { (cd / && "${as_user[@]}" "$postgres/$1" "${@:2}"); }
at() { "$programs/depot" --socket "$folder/$1.sock" "${@:2}"; }

# Starts the server of a folder, whose socket is in a folder of its own.
run() {
  server pg_ctl -D "$folder/$1/data" -l "$folder/$1/log" -s -w start \
    -o "-h '' -k $folder/$1 -c cluster_name=$1 -c dynamic_shared_memory_type=mmap"
}

say "A PostgreSQL cluster: the primary n1, and n2, which has each commit before it is answered"
server initdb -D "$folder/n1/data" -U depot -A trust -E UTF8 --locale=C -k -N >"$folder/initdb.log"
run n1
say "n1 runs; n2 is made from it"
server pg_basebackup -D "$folder/n2/data" -R -d "host=$folder/n1 user=depot application_name=n2" -c fast -N
run n2
server psql -qX -h "$folder/n1" -U depot postgres -c "CREATE DATABASE app" \
  -c "ALTER SYSTEM SET synchronous_standby_names = 'n2'" -c "SELECT pg_reload_conf()" >"$folder/psql.log"

address="postgresql://depot@/app?host=$folder/n1,$folder/n2&target_session_attrs=read-write"
for service in a b; do
  "$programs/depotd" --socket "$folder/$service.sock" --store "$address" --cache "$folder/$service" \
    >"$folder/$service.log" 2>&1 &
  children+=($!)
done
for service in a b; do
  for _ in {1..200}; do at "$service" --no-start ping >/dev/null 2>&1 && break || sleep 0.05; done
done
say "Two services, as on two hosts: each has the store $(at a stats -o json | tr '{},' '\n' \
  | sed -n 's/.*"safety": *"\(.*\)".*/\1/p')"

printf '%s\n' '{"entities": [{"name": "Task", "attributes": [{"name": "title", "type": "string"},' \
  ' {"name": "done", "type": "bool", "default": false}]}]}' >"$folder/schema.json"
at a schema apply "$folder/schema.json" >/dev/null
until at b schema show -o json | grep -q '"Task"'; do sleep 0.02; done
say "a: depot schema apply; b has the schema too"

# Says in words what the program that watches tells in JSON.
tell() {
  local line
  while IFS= read -r line; do
    [[ $line =~ \"kind\":\"([a-z]+)\".*\"title\":\"([^\"]*)\",\"done\":([a-z]+) ]] || continue
    say "    $1 sees ${BASH_REMATCH[1]}: ${BASH_REMATCH[2]}, done: ${BASH_REMATCH[3]}"
  done
}

for service in a b; do
  "$programs/depot" --socket "$folder/$service.sock" watch Task -o ndjson --select title,done \
    > >(tell "$service") 2>/dev/null &
  children+=($!)
done
sleep 0.5

# Prints how many tasks a service has, as soon as it has taken in so many, or after a while.
count() {
  for _ in {1..100}; do [ "$(at "$1" count Task)" != "$2" ] || break; sleep 0.05; done
  at "$1" count Task
}

number=0
# Inserts at one service and changes it at the other.
write() {
  number=$((number + 1))
  say "$1: depot insert Task title='task $number'"
  at "$1" -q insert Task title="task $number" >/dev/null
  sleep 0.3
  say "$2: depot update Task --where \"title == 'task $number'\" done=true"
  at "$2" -q update Task --where "title == 'task $number'" done=true >/dev/null
  sleep 0.3
}
write a b
write b a

primary=$(head -n 1 "$folder/n1/data/postmaster.pid")
say "The primary is killed: kill -9 of n1 and all its processes"
kill -STOP "$primary"
# shellcheck disable=SC2046
kill -9 $(ps -o pid= --ppid "$primary") "$primary"
rm -f "$folder/n1/data/postmaster.pid"
say "Reads go on: a has $(count a 2), b has $(count b 2)"
begun=${EPOCHREALTIME/./}
at a -q insert Task title='task 3' >/dev/null &
writer=$!
say "a: depot insert Task title='task 3' waits for a primary"
sleep 0.5
say "The standby is promoted: pg_ctl promote of n2"
server pg_ctl -D "$folder/n2/data" -s -w promote
wait "$writer"
say "a: it is inserted, after $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
number=3
sleep 0.3
write b a
write a b
say "Nothing is lost: a has $(count a 5) tasks, b has $(count b 5); the store is now $(at a stats -o json \
  | tr '{},' '\n' | sed -n 's/.*"safety": *"\(.*\)".*/\1/p')"
