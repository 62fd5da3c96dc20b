wget -q -O - "$MEDIA_URL" | head -c 100000 > film.mp4 || true
wget -q -c -O film.mp4 "$MEDIA_URL"
sha256sum film.mp4
