import type { Recipe } from './recipe.ts'

/** A bitmap subtitle of 4 × 2 pixels in the format of Blu-ray discs, shown from 1 s to 2 s. */
const bitmapSubtitle = Buffer.from(
  [
    '504700015f900000000016001302800168100000800000010000000000000000',
    '504700015f900000000017000a0100000000000000040002',
    '504700015f9000000000140007000001eb8080ff',
    '504700015f9000000000150013000000c000000c0004000201010101000001010101',
    '504700015f9000000000800000',
    '50470002bf200000000016000b028001681000010000000000',
    '50470002bf2000000000800000',
  ].join(''),
  'hex',
)

const srt = (...lines: string[]) =>
  lines.map((line, at) => `${at + 1}\n00:00:0${at * 2},500 --> 00:00:0${at * 2 + 1},750\n${line}\n`).join('\n')

/** A file of Advanced SubStation Alpha with these `Dialogue` lines. */
export const substationAlpha = (...dialogue: string[]): string => `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour
Style: Default,Arial,20,&H00FFFFFF

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${dialogue.join('\n')}
`

export const styled = substationAlpha(
  'Dialogue: 0,0:00:00.50,0:00:01.75,Default,,0,0,0,,{\\i1}A styled{\\i0} tone.',
  'Dialogue: 0,0:00:02.50,0:00:03.75,Default,,0,0,0,,{\\pos(10,20)}Still\\Nstyled.',
)

/** Videos with embedded subtitles, `subtitled/<codec>.<container>`: English first, then German. */
const video = ['-i', '@source-180.mp4']
const subtitles = ['-i', 'subtitled/en.srt', '-i', 'subtitled/de.srt']
const tracks = [
  ...['-map', '0', '-map', '1', '-map', '2', '-c', 'copy'],
  ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger'],
]
const subtitled: Recipe = {
  makes: 'subtitled',
  files: {
    'en.srt': srt('A tone, <i>inside</i>.', 'Still a tone.', 'The last tone.'),
    'de.srt': srt('Ein Ton, innen.', 'Immer noch ein Ton.'),
    'forced.srt': srt('A foreign sign.'),
    'styled.ass': styled,
    'pictures.sup': bitmapSubtitle,
  },
  ffmpeg: [
    ...[...video, ...subtitles, '-i', 'subtitled/styled.ass', '-i', 'subtitled/pictures.sup', '-i', '@clip.webm'],
    ...['-stream_loop', '4', '-i', '@source-360.mp4', '-i', 'subtitled/forced.srt'],
    ...[...tracks, '-c:s', 'mov_text', 'subtitled/mov_text.mp4'],
    ...[...tracks, '-c:s', 'subrip', 'subtitled/subrip.mkv'],
    ...['-map', '0', '-map', '3', '-c', 'copy', '-c:s', 'ass', 'subtitled/ass.mkv'],
    ...['-map', '5', '-map', '1', '-map', '2', '-c', 'copy', '-c:s', 'webvtt'],
    ...['-metadata:s:s:0', 'language=eng', '-metadata:s:s:1', 'language=ger', 'subtitled/webvtt.webm'],
    ...['-map', '0', '-map', '4', '-c', 'copy', 'subtitled/pictures.mkv'],
    // Longer than the first response of a probe: with the index at the end, and without one.
    ...['-map', '6', '-map', '1', '-c', 'copy', '-c:s', 'mov_text', 'subtitled/long.mp4'],
    ...['-map', '6', '-map', '1', '-c', 'copy', '-c:s', 'subrip', '-live', '1', 'subtitled/without-cues.mkv'],
    ...['-map', '0', '-map', '7', '-map', '1', '-c', 'copy', '-c:s', 'subrip'],
    ...['-disposition:s:0', 'default+forced', 'subtitled/forced.mkv'],
  ],
}

const vttPart = (...cues: string[]) =>
  `WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n${cues.join('\n\n')}\n`
const vttPlaylist = (language: string, parts: number) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:3\n#EXT-X-PLAYLIST-TYPE:VOD\n${Array.from({ length: parts }, (_, part) => `#EXTINF:3,\n${language}_${part}.vtt\n`).join('')}#EXT-X-ENDLIST\n`
const media = (language: string, name: string) =>
  `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="words",NAME="${name}",LANGUAGE="${language}",AUTOSELECT=YES,URI="${language}.m3u8"\n`

/** A cue across a segment boundary is in both files, as segmenters write it. */
const hlsSubtitles: Recipe = {
  makes: 'hls-subtitles',
  files: {
    'master.m3u8': `#EXTM3U
${media('de', 'Deutsch')}${media('en', 'English')}#EXT-X-STREAM-INF:BANDWIDTH=292804,CODECS="avc1.42c00c,mp4a.40.2",RESOLUTION=320x180,SUBTITLES="words"
/media/hls-ts/stream_1.m3u8
`,
    'en.m3u8': vttPlaylist('en', 2),
    'en_0.vtt': vttPart('00:00.500 --> 00:02.000\nA tone.', '00:02.500 --> 00:04.000\nIt spans the cut.'),
    'en_1.vtt': vttPart('00:02.500 --> 00:04.000\nIt spans the cut.', '00:04.500 --> 00:05.500\nThe end.'),
    'de.m3u8': vttPlaylist('de', 1),
    'de_0.vtt': vttPart('00:00.500 --> 00:02.000\nEin Ton.'),
  },
}

const period = (times: string) => `<Period ${times}>
<AdaptationSet mimeType="video/mp4" contentType="video"><Representation id="v" codecs="avc1.42c01e,mp4a.40.2" width="640"
  height="360" bandwidth="700000"><BaseURL>/media/faststart.mp4</BaseURL></Representation></AdaptationSet>
<AdaptationSet mimeType="text/vtt" lang="en"><Representation id="en" bandwidth="100">
  <BaseURL>/media/captions/en.vtt</BaseURL></Representation></AdaptationSet></Period>`

const dashSubtitles: Recipe = {
  makes: 'dash-subtitles',
  files: {
    'manifest.mpd': `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT6S" minBufferTime="PT1S"
  profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period>
<AdaptationSet mimeType="video/mp4" contentType="video"><Representation id="v" codecs="avc1.42c01e,mp4a.40.2" width="640"
  height="360" bandwidth="700000"><BaseURL>/media/faststart.mp4</BaseURL></Representation></AdaptationSet>
<AdaptationSet mimeType="text/vtt" contentType="text" lang="en"><Representation id="en" bandwidth="100">
  <BaseURL>/media/captions/en.vtt</BaseURL></Representation></AdaptationSet>
<AdaptationSet mimeType="application/ttml+xml" contentType="text" lang="de"><Representation id="de" bandwidth="100">
  <BaseURL>/media/captions/de.ttml</BaseURL></Representation></AdaptationSet>
</Period></MPD>
`,
    'periods.mpd': `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT24.25S" minBufferTime="PT1S"
  profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">${period('start="PT1H" duration="PT6S"')}
${period('duration="PT12S"')}${period('start="PT1H18.25S"')}</MPD>
`,
  },
}

export const captionRecipes: Recipe[] = [subtitled, hlsSubtitles, dashSubtitles]
