#!/usr/bin/env bash
# Takes the place of `docker` where no daemon is: notes what it is asked for in $NOTED, has docker-compose say whether the
# files, the services and the options are right, and does what needs neither an image nor a network.
set -euo pipefail

refuse() {
  echo "fake docker: $*" >&2
  exit 64
}

[ "$1" = compose ] || refuse "docker $1"
shift
printf '%s\n' "$*" >>"$NOTED"
profile=()
if [ "$1" = --profile ]; then
  profile=("$1" "$2")
  shift 2
fi
command=$1
shift
docker-compose "${profile[@]}" config --quiet
services=$(docker-compose "${profile[@]}" config --services)
help=$(docker-compose "$command" --help)

program=()
while [[ ${1:-} == -* ]]; do
  # Compose has --wait since 2.1.1, and Debian's is older.
  grep -qw -e "$1" <<<"$help" || [ "$command $1" = 'up --wait' ] || refuse "$command has no $1"
  if [ "$1" = --entrypoint ]; then
    program=("$2")
    shift
  fi
  shift
done

is_service() { grep -qx "$1" <<<"$services" || refuse "there is no service $1"; }
if [ "$command" = config ]; then
  docker-compose "${profile[@]}" config
  exit
fi
if [ "$command" = up ] || [ "$command" = build ]; then
  for service in "$@"; do is_service "$service"; done
  exit
fi

[ "$command" = exec ] || [ "$command" = run ] || refuse "$command"
service=$1
is_service "$service"
shift
set -- "${program[@]}" "$@"
case "$service $1" in
  'worker tar')
    [ "$2 $3" = '-C /data' ] || refuse "$*"
    exec tar -C "$DATA" "${@:4}"
    ;;
  'postgres pg_dumpall') cat "$DATABASE" ;;
  'postgres psql') cat >"$DATABASE" ;;
  'worker node' | 'sandbox-worker node') [ -e "$CHECKOUT/$2" ] || refuse "the image has no $2" ;;
  'worker deploy') [ "$*" = 'deploy check' ] || refuse "the program has no $*" ;;
  *) refuse "$service $*" ;;
esac
