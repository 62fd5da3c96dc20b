aria2c -q -x 4 -s 4 -k 1M --allow-overwrite=true -o film.mp4 "$MEDIA_URL"
sha256sum film.mp4
