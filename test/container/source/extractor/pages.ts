/** Pages and manifests for extraction only: their media does not exist. */
export const hls = 'application/vnd.apple.mpegurl'
const master = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="audio.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="subs.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.42c01e,mp4a.40.2",AUDIO="a",SUBTITLES="s"
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a",SUBTITLES="s"
high.m3u8
`
const groups = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="high.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="low.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.42c01e,mp4a.40.2",AUDIO="lo"
360.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=256x144,CODECS="avc1.42c01e,mp4a.40.2",AUDIO="lo"
144.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="hi"
720.m3u8
`
const vod = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n#EXTINF:4.5,\n1.ts\n#EXT-X-ENDLIST\n'
/** Playlists that list playlists. */
const masterOf = (uri: string) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=800000\n${uri}\n`
const playlistOf = (uri: string) => vod.replace('1.ts', uri)
const mpd = (content: string) => `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT6S"><Period>${content}</Period></MPD>`
const dash = mpd(`
<AdaptationSet mimeType="video/mp4"><SegmentTemplate timescale="1" duration="2" startNumber="1"
 initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s"/>
 <Representation id="v" codecs="avc1.64001f" width="1280" height="720" bandwidth="2000000"/></AdaptationSet>
<AdaptationSet mimeType="audio/mp4" lang="en"><SegmentTemplate timescale="1" duration="2" startNumber="1"
 initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number$.m4s"/>
 <Representation id="a" codecs="mp4a.40.2" bandwidth="128000"/></AdaptationSet>
<AdaptationSet mimeType="text/vtt" lang="de"><Representation id="t" bandwidth="1"><BaseURL>de.vtt</BaseURL></Representation>
</AdaptationSet>`)
/** Captions of each kind, and every level at which a manifest may define their presentationTimeOffset. */
const text = (lang: string, attributes: string, content: string) =>
  `<AdaptationSet lang="${lang}" ${attributes}><Representation id="${lang}" bandwidth="1">${content}</Representation>
</AdaptationSet>`
const segments = (duration: number, attributes = '') =>
  `<SegmentTemplate ${attributes} duration="${duration}" startNumber="1" media="$RepresentationID$/$Number$.m4s"/>`
const times = mpd(`
<SegmentTemplate timescale="1000" presentationTimeOffset="500"/>
${text('aa', 'mimeType="application/mp4" codecs="wvtt"', segments(2_000))}
${text('bb', 'mimeType="application/mp4" codecs="stpp.ttml.im1t"', segments(180_000, 'timescale="90000" presentationTimeOffset="180000"'))}
<AdaptationSet lang="cc" contentType="text"><SegmentTemplate timescale="10" presentationTimeOffset="15"/>
 <Representation id="cc" bandwidth="1" mimeType="application/mp4" codecs="wvtt">${segments(20)}</Representation>
</AdaptationSet>
${text('dd', 'mimeType="text/vtt"', '<BaseURL>dd.vtt</BaseURL><SegmentBase timescale="1" presentationTimeOffset="3"/>')}
${text('ee', 'mimeType="application/ttml+xml"', '<BaseURL>ee.ttml</BaseURL>')}
<AdaptationSet mimeType="video/mp4"><Representation id="v" codecs="avc1.64001f" bandwidth="2000000"><BaseURL>v.mp4</BaseURL>
</Representation></AdaptationSet>`).replace('<Period>', '<Period start="PT1.5S">')
const ranges = mpd(`<AdaptationSet mimeType="video/mp4"><Representation id="v" codecs="avc1.64001f" bandwidth="2000000">
<BaseURL>whole.mp4</BaseURL><SegmentList timescale="1" duration="2"><Initialization range="0-99"/>
<SegmentURL mediaRange="100-199"/><SegmentURL mediaRange="200-299"/></SegmentList></Representation></AdaptationSet>`)
const drm = mpd(`<AdaptationSet mimeType="video/mp4">
<ContentProtection schemeIdUri="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"/>
<Representation id="v" codecs="avc1.64001f" bandwidth="2000000"><BaseURL>v.mp4</BaseURL></Representation></AdaptationSet>`)
export const html = (body: string) => `<html><head><title>A page</title></head><body>${body}</body></html>`
const stated = (video: Record<string, unknown>) =>
  html(
    `<script type="application/ld+json">${JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'VideoObject',
      name: 'Stated',
      contentUrl: 'https://cdn.example/v.mp4',
      encodingFormat: 'video/mp4',
      ...video,
    })}</script>`,
  )
const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>
<item><title>One</title><enclosure url="/1.mp3" type="audio/mpeg"/></item></channel></rss>`

/** Content by path. */
export const pages: Record<string, [contentType: string, body: string]> = {
  '/one': [
    'text/html',
    html(`<video poster="/poster.jpg"><source src="/v.mp4" type="video/mp4">
      <track kind="subtitles" srclang="en" src="/en.vtt"></video>`),
  ],
  '/several': ['text/html', html('<video src="/first.mp4"></video><video src="/second.mp4"></video>')],
  '/none': ['text/html', html('<p>Nothing to see</p>')],
  '/page-of-hls': ['text/html', html(`<video><source src="/master.m3u8" type="${hls}"></video>`)],
  '/master.m3u8': [hls, master],
  '/audio-groups.m3u8': [hls, groups],
  '/144.m3u8': [hls, vod],
  '/low.m3u8': [hls, vod],
  '/high.m3u8': [hls, vod],
  '/audio.m3u8': [hls, vod],
  '/live.m3u8': [hls, vod.replace('#EXT-X-ENDLIST\n', '')],
  '/short.m3u8': [hls, '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.9,\n0.ts\n#EXT-X-ENDLIST\n'],
  '/master-of-itself.m3u8': [hls, masterOf('master-of-itself.m3u8')],
  '/master-of-master.m3u8': [hls, masterOf('master.m3u8')],
  '/playlist-of-itself.m3u8': [hls, playlistOf('playlist-of-itself.m3u8')],
  '/playlist-of-playlist.m3u8?a': [hls, playlistOf('high.m3u8?b')],
  '/live-playlist-of-itself.m3u8': [hls, playlistOf('live-playlist-of-itself.m3u8').replace('#EXT-X-ENDLIST\n', '')],
  '/dash.mpd': ['application/dash+xml', dash],
  '/times.mpd': ['application/dash+xml', times],
  '/ranges.mpd': ['application/dash+xml', ranges],
  '/drm.mpd': ['application/dash+xml', drm],
  '/talks/stated': [
    'text/html',
    stated({
      author: { '@type': 'Person', name: 'Ada' },
      uploadDate: '2026-03-04T05:06:07+02:00',
      description: 'First line\nSecond line',
      keywords: 'video, talks',
    }),
  ],
  '/hostile': [
    'text/html',
    stated({
      author: { name: [{ a: 1 }] },
      uploadDate: 'soon',
      description: '\u6f22'.repeat(3_000_000),
      keywords: 'a'.repeat(200),
    }),
  ],
  '/feed.xml': ['application/rss+xml', feed],
}
