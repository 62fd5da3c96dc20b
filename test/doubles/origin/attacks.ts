import {
  box,
  cluster,
  cuePoint,
  cues,
  element,
  matroska,
  number,
  textBlock,
  textTrak,
  tracks,
  words,
} from './media-bytes.ts'

/** What a hostile caller sends, and the files that its own server has for it. */
export interface Attack {
  title: string
  /** `captions`: a page with a small video that has the file as its captions. The others request the file itself. */
  by: 'captions' | 'metadata' | 'import' | 'transcribe'
  /** Extension of the file, which decides nothing but its Content-Type. */
  extension: string
  file(): Uint8Array | string
  headers?: Record<string, string>
}

const numbered = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('')

/** One sample in each of many `trun` boxes, all of them the same bytes. */
const sharedSamples = (runs: number, data: Buffer): Buffer => {
  const moof = (offset: number) =>
    box(
      'moof',
      box(
        'traf',
        box('tfhd', words(0x000018, 1, 1_000, data.length)),
        box('tfdt', words(0, 0)),
        ...Array.from({ length: runs }, () => box('trun', words(0x000001, 1, offset))),
      ),
    )
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', data)])
}

const ttml = (bytes: number): string => {
  const paragraph = '<p begin="1s" end="2s">text</p>'
  return `<tt xmlns="http://www.w3.org/ns/ttml"><body><div>${paragraph.repeat(bytes / paragraph.length)}</div></body></tt>`
}

const manifest = (content: string): string =>
  `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT60S"><Period>${content}</Period></MPD>`

const representations = (count: number, kind: 'video' | 'audio', codecs: (index: number) => string): string =>
  `<AdaptationSet mimeType="${kind}/mp4">${numbered(count, (i) => `<Representation id="${kind}${i}" bandwidth="${i + 1}" codecs="${codecs(i)}" width="${i + 16}" height="${i + 16}"><BaseURL>${kind}${i}.mp4</BaseURL></Representation>`)}</AdaptationSet>`

const playlist = (lines: string): string => `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${lines}#EXT-X-ENDLIST\n`
const variant = '#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.42c00d,mp4a.40.2",AUDIO="a"\nvariant.m3u8\n'

const cueTime = (second: number): string => `${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}.000`

export const attacks: Attack[] = [
  {
    title: 'captions in MP4 of which 25 runs share 3.9 MB of samples',
    by: 'captions',
    extension: 'mp4',
    file: () => sharedSamples(25, Buffer.from(ttml(3_900_000))),
  },
  {
    title: 'a video whose subtitle track has 100,000 samples of the same 30 MB',
    by: 'transcribe',
    extension: 'mp4',
    file: () => {
      const tables = [
        box('stts', words(0, 1, 100_000, 1_000)),
        box('stsz', words(0, 30_000_000, 100_000)),
        box('stsc', words(0, 1, 1, 1, 1)),
        box('stco', words(0, 100_000), Buffer.alloc(400_000)),
      ]
      return Buffer.concat([
        box('ftyp', Buffer.from('isom')),
        box('moov', textTrak(...tables)),
        Buffer.alloc(30_000_000),
      ])
    },
  },
  {
    title: 'a video whose index lists one subtitle 250,000 times',
    by: 'transcribe',
    extension: 'mkv',
    file: () => {
      const timestampBytes = element(0xe7, number(0)).length
      const lists = (position: number) => cues(Buffer.concat(Array(250_000).fill(cuePoint(position, timestampBytes))))
      const position = tracks().length + lists(0).length
      return matroska(tracks(), lists(position), cluster(0, textBlock(0, Buffer.from('A line.'))))
    },
  },
  {
    title: 'a DASH manifest of 1,800 video and 1,800 audio renditions',
    by: 'metadata',
    extension: 'mpd',
    file: () =>
      manifest(
        representations(1_800, 'video', (i) => `avc1.${i}`) + representations(1_800, 'audio', (i) => `mp4a.${i}`),
      ),
  },
  {
    title: 'WebVTT whose cues all start at 0',
    by: 'captions',
    extension: 'vtt',
    file: () => `WEBVTT\n\n${numbered(99_000, (i) => `00:00.000 --> 00:01.000\nx${i} y\n\n`)}`,
  },
  {
    title: 'an HLS master playlist of 4,000 renditions and 200 variants',
    by: 'import',
    extension: 'm3u8',
    file: () =>
      `#EXTM3U\n${numbered(4_000, (i) => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n${i}",URI="a${i}.m3u8"\n`)}${variant.repeat(200)}`,
  },
  {
    title: 'an HLS master playlist of 20,000 session keys',
    by: 'import',
    extension: 'm3u8',
    file: () => `#EXTM3U\n${numbered(20_000, (i) => `#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k${i}"\n`)}${variant}`,
  },
  {
    title: '15 KB of dots in a Content-Disposition header',
    by: 'metadata',
    extension: 'mp4',
    headers: { 'content-disposition': `attachment; filename="a${'.'.repeat(15_000)}b.mp4"` },
    file: () => box('ftyp', Buffer.from('isom')),
  },
  {
    title: 'WebVTT of one cue of 9.8 MB',
    by: 'captions',
    extension: 'vtt',
    file: () => `WEBVTT\n\n00:00.000 --> 00:01.000\n${'word '.repeat(1_960_000)}`,
  },
  {
    title: 'WebVTT of 980 cues of almost 10,000 characters',
    by: 'captions',
    extension: 'vtt',
    file: () =>
      `WEBVTT\n\n${numbered(980, (i) => `${cueTime(i)} --> ${cueTime(i + 1)}\n${'word '.repeat(1_990)}\n\n`)}`,
  },
  {
    title: 'TTML of half a million elements',
    by: 'captions',
    extension: 'ttml',
    file: () => `<tt><body><div>${'<p begin="1s" end="2s"/>'.repeat(400_000)}</div></body></tt>`,
  },
  {
    title: 'a caption file in JSON of three million empty events',
    by: 'captions',
    extension: 'json3',
    file: () => `{"events":[${'{},'.repeat(3_000_000)}{}]}`,
  },
  {
    title: 'SubRip of ten million digits',
    by: 'captions',
    extension: 'srt',
    file: () => `1\n00:00:00,000 --> 00:00:01,000\n${'1'.repeat(9_900_000)}-->`,
  },
  {
    title: 'WebVTT of 90,000 cues that repeat each other',
    by: 'captions',
    extension: 'vtt',
    file: () => `WEBVTT\n\n${numbered(90_000, (i) => `${cueTime(i)} --> ${cueTime(i + 1)}\na\nb\nc\nd\ne\n\n`)}`,
  },
  {
    title: 'captions in MP4 of a million boxes of eight bytes',
    by: 'captions',
    extension: 'mp4',
    file: () =>
      Buffer.concat([box('ftyp', Buffer.from('isom')), box('moof', Buffer.concat(Array(1_000_000).fill(box('traf'))))]),
  },
  {
    title: 'a media playlist of eight million empty lines',
    by: 'import',
    extension: 'm3u8',
    file: () => playlist(`#EXTINF:1,\na.ts\n${'\n'.repeat(8_000_000)}`),
  },
  {
    title: 'a media playlist of 100,000 parts without a segment',
    by: 'import',
    extension: 'm3u8',
    file: () => playlist(`${'#EXT-X-PART:DURATION=1,URI="x"\n'.repeat(100_000)}#EXTINF:1,\na.ts\n`),
  },
  {
    title: 'a media playlist of 60,000 keys and initialization sections',
    by: 'import',
    extension: 'm3u8',
    file: () =>
      playlist(
        numbered(
          60_000,
          (i) => `#EXT-X-KEY:METHOD=AES-128,URI="k${i}"\n#EXT-X-MAP:URI="m${i}"\n#EXTINF:1,\ns${i}.ts\n`,
        ),
      ),
  },
  {
    title: 'a DASH timeline that repeats one segment a billion times',
    by: 'metadata',
    extension: 'mpd',
    file: () =>
      manifest(
        '<AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1" codecs="avc1.42c00d"><SegmentTemplate timescale="1" media="$Number$.m4s"><SegmentTimeline><S t="0" d="1" r="1000000000"/></SegmentTimeline></SegmentTemplate></Representation></AdaptationSet>',
      ),
  },
  {
    title: 'a DASH manifest of 100,000 nested elements',
    by: 'metadata',
    extension: 'mpd',
    file: () => manifest('<AdaptationSet>'.repeat(100_000)),
  },
  {
    title: 'a feed of 300,000 episodes',
    by: 'metadata',
    extension: 'xml',
    file: () => `<rss><channel>${numbered(300_000, (i) => `<item><enclosure url="${i}.mp3"/></item>`)}`,
  },
  {
    title: 'a feed of 290 open tags and three million closing ones',
    by: 'metadata',
    extension: 'xml',
    file: () => `<rss>${'<a>'.repeat(290)}${'</b>'.repeat(3_000_000)}`,
  },
  {
    title: 'a page of 200,000 video elements',
    by: 'metadata',
    extension: 'html',
    file: () => `<!doctype html><title>x</title>${numbered(200_000, (i) => `<video src="${i}.mp4"></video>`)}`,
  },
  {
    title: 'a page of five million opening brackets',
    by: 'metadata',
    extension: 'html',
    file: () => `<!doctype html><title>${'<'.repeat(5_000_000)}`,
  },
]
