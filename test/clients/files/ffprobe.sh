ffprobe -v error -show_entries format=duration -of csv=p=0 "$MEDIA_URL"
