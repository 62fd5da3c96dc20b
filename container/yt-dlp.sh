#!/bin/sh
# Puts the newest yt-dlp of a channel into a Python environment: `yt-dlp.sh stable|nightly|VERSION FOLDER-OF-PYTHON`. For
# `pinned`, nothing is done: container/requirements.txt has named it. pip compares the digests that the index states.
set -eu
channel=$1
bin=$2
case $channel in
  pinned) exit 0 ;;
  stable) wanted="yt-dlp" ;;
  nightly) wanted="--pre yt-dlp" ;;
  *) wanted="yt-dlp==$channel" ;;
esac
# shellcheck disable=SC2086 # two words
"$bin/pip" install --no-cache-dir --upgrade --no-deps --only-binary :all: $wanted
scripts=$("$bin/python" -c "from importlib.metadata import requires
print(next(each.split(';')[0] for each in requires('yt-dlp') if each.startswith('yt-dlp-ejs==')))")
"$bin/pip" install --no-cache-dir --no-deps --only-binary :all: "$scripts"
