curl -sf -r 0-99999 -o film.mp4 "$MEDIA_URL"
curl -sf -C - -o film.mp4 "$MEDIA_URL"
sha256sum film.mp4
