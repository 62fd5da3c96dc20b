/** What a new version of yt-dlp must be able to read: one page for each kind of source, on a host that does not exist. */

export const proofOrigin = 'http://proof.invalid'

const html = 'text/html'
const hls = 'application/vnd.apple.mpegurl'

const mpd = `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S"><Period>
<AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="500000" width="640" height="360" codecs="avc1.4d401e">
<BaseURL>video.mp4</BaseURL></Representation></AdaptationSet>
<AdaptationSet mimeType="audio/mp4" lang="en"><Representation id="a" bandwidth="64000" codecs="mp4a.40.2">
<BaseURL>audio.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`

const master = `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=500000,RESOLUTION=640x360,CODECS="avc1.4d401e,mp4a.40.2"
360.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1280x720,CODECS="avc1.4d401f,mp4a.40.2"
720.m3u8
`

const media = `#EXTM3U
#EXT-X-TARGETDURATION:10
#EXTINF:10,
1.ts
#EXT-X-ENDLIST
`

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>A feed</title>
<item><title>One</title><enclosure url="${proofOrigin}/one.mp3" type="audio/mpeg"/></item>
<item><title>Two</title><enclosure url="${proofOrigin}/two.mp3" type="audio/mpeg"/></item></channel></rss>`

const film = (name: string): string => `<video><source src="/${name}.mp4" type="video/mp4"></video>`
const page = (title: string, body: string): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head>${body}</html>`

/** Content-Type and body, by path. */
export const proofPages: Record<string, readonly [contentType: string, body: string]> = {
  '/page': [html, page('A page', film('film'))],
  '/list': [html, page('A list', ['one', 'two', 'three'].map(film).join(''))],
  '/feed': ['application/rss+xml', feed],
  '/master.m3u8': [hls, master],
  '/360.m3u8': [hls, media],
  '/720.m3u8': [hls, media],
  '/film.mpd': ['application/dash+xml', mpd],
}
