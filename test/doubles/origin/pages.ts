const page = (title: string, body: string) =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n${body}\n</body></html>\n`

/** Web pages, served under /page/. */
export const pages: Record<string, string> = {
  'video.html': page(
    'A page with a video',
    `<video controls poster="/media/still.jpg">
  <source src="/media/faststart.mp4" type="video/mp4">
  <track kind="subtitles" src="/media/captions/en.vtt" srclang="en" label="English">
</video>`,
  ),
  'held.html': page(
    'A page whose video is held',
    '<video poster="/media/still.jpg" src="/media/faststart.mp4?holdAfter=300000"></video>',
  ),
  'languages.html': page(
    'A page with captions in two languages',
    `<video src="/media/faststart.mp4">
  <track kind="captions" src="/media/captions/en.vtt" srclang="en-GB" label="English">
  <track kind="subtitles" src="/media/captions/de.vtt" srclang="de" label="Deutsch">
</video>`,
  ),
  'stale.html': page(
    'A page with missing, empty and good captions',
    `<video src="/media/faststart.mp4">
  <track kind="captions" src="/media/captions/nowhere.vtt" srclang="fr">
  <track kind="captions" src="/media/captions/empty.vtt" srclang="es">
  <track kind="captions" src="/media/captions/de.vtt" srclang="de">
</video>`,
  ),
  'large-captions.html': page(
    'A page with captions of 9.9 MB in five languages',
    `<video src="/media/faststart.mp4">
${['en', 'de', 'fr', 'es', 'it'].map((language) => `  <track kind="captions" src="/generated/9900000.mp4?${language}" srclang="${language}">`).join('\n')}
</video>`,
  ),
  'ass.html': page(
    'A page with styled captions',
    '<video src="/media/faststart.mp4"><track kind="captions" src="/media/captions/styled.ass" srclang="en"></video>',
  ),
  'subtitled.html': page(
    'A page with captions inside its video',
    '<video src="/media/subtitled/mov_text.mp4"></video>',
  ),
  'several.html': page(
    'A page with several videos',
    `<video src="/media/faststart.mp4"></video>
<video src="/media/clip.webm"></video>
<video src="/media/black-start.mp4"></video>`,
  ),
  'referer.html': page(
    'A page whose video needs a Referer',
    '<video src="/media/faststart.mp4?needReferer=referer.html"></video>',
  ),
  'hls.html': page(
    'A page with a playlist',
    '<video><source src="/media/hls-fmp4/master.m3u8" type="application/vnd.apple.mpegurl"></video>',
  ),
  'long.html': page('A page with a large video', '<video src="/generated/200000000.mp4"></video>'),
  'qualities.html': page(
    'A page with a video in two qualities',
    `<video><source src="/media/clip.webm" type="video/webm"><source src="/media/faststart.mp4" type="video/mp4"></video>`,
  ),
  // What it says of its video has to be swapped for the address of the origin.
  'stated.html': page(
    'A page that states the length of its video',
    `<script type="application/ld+json">{"@context": "https://schema.org", "@type": "VideoObject", "name": "Stated",
 "contentUrl": "http://origin/media/faststart.mp4", "duration": "PT6S"}</script>`,
  ),
  'mute.html': page('A page with a video without sound', '<video src="/media/video-only.mp4"></video>'),
  'broken.html': page('A page without its video', '<video src="/media/nowhere.mp4"></video>'),
  'slow.html': page('A page with a slow video', '<video src="/media/faststart.mp4?slowFirstByteMs=60000"></video>'),
  'feed.xml': `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>A podcast</title>
<item><title>The first</title><enclosure url="/media/tone.mp3" type="audio/mpeg"/><itunes:duration>0:06</itunes:duration></item>
<item><title>The second</title><enclosure url="/media/tone.ogg" type="audio/ogg"/><itunes:duration>6</itunes:duration></item>
</channel></rss>`,
  'none.html': page('A page without media', '<p>No media here.</p>'),
}
