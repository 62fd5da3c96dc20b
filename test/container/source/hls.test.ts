import { execFile } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { download } from '../../../container/source/download.ts'
import { unpackSegments } from '../../../container/source/transfer/segment-list.ts'
import { fetchSegmentFiles, segmentListOf } from '../../../container/source/transfer/segments.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { scratch } from '../audio/recordings.ts'
import { anOrigin, aSink, never, retryPolicy, sha256Of, timeoutsFor } from './downloading.ts'

const run = promisify(execFile)

async function downloaded(path: string, root?: string) {
  const { origin, egress } = await anOrigin(root, timeoutsFor(path))
  const sink = await aSink()
  const transport = { kind: 'hls' as const, url: origin.url + path, headers: {} }
  const outcome = await download({ transport }, sink, { egress, signal: never, retryPolicy }).catch((error) => error)
  return { outcome, sink, requests: origin.requests, origin, egress }
}

async function sha256OfFiles(paths: string[]) {
  const pieces = await Promise.all(paths.map((path) => readFile(path)))
  return sha256Of(pieces.values() as unknown as AsyncIterable<Uint8Array>)
}

/** The number of frames that decode, and ffprobe's error output. */
async function framesOf(path: string) {
  const entries = ['-show_entries', 'stream=codec_type,nb_read_frames', '-of', 'json']
  const { stdout, stderr } = await run('ffprobe', ['-v', 'error', '-count_frames', ...entries, path])
  const { streams } = JSON.parse(stdout) as { streams: { codec_type: string; nb_read_frames: string }[] }
  const frames = Object.fromEntries(streams.map((stream) => [stream.codec_type, Number(stream.nb_read_frames)]))
  return { frames, errors: stderr }
}

const sixSecondsOfVideo = 150

test('a playlist of TS segments becomes one file that decodes completely', async () => {
  const { sink, outcome } = await downloaded('/media/hls-ts/stream_0.m3u8')
  const parts = [0, 1, 2, 3, 4, 5].map((i) => fixture(`hls-ts/stream_0_00${i}.ts`))
  expect(await sink.sha256()).toBe(await sha256OfFiles(parts))
  expect(outcome).toBe(sink.writtenBytes())
  const { frames, errors } = await framesOf(sink.path)
  expect(frames.video).toBe(sixSecondsOfVideo)
  expect(errors).toBe('')
})

test('a file from fMP4 segments starts with the initialization section', async () => {
  const { sink, requests } = await downloaded('/media/hls-fmp4/stream_1.m3u8')
  const parts = [0, 1, 2, 3, 4, 5].map((i) => fixture(`hls-fmp4/stream_1_00${i}.m4s`))
  expect(await sink.sha256()).toBe(await sha256OfFiles([fixture('hls-fmp4/init_1.mp4'), ...parts]))
  expect(requests.filter(({ path }) => path.endsWith('init_1.mp4'))).toHaveLength(1)
  expect((await framesOf(sink.path)).frames.video).toBe(sixSecondsOfVideo)
})

test('byte ranges of one file are joined, and their total size is announced', async () => {
  const { sink } = await downloaded('/media/hls-ranges/stream.m3u8')
  expect(await sink.sha256()).toBe(await sha256OfFiles([fixture('hls-ranges/stream.m4s')]))
  expect(sink.announced).toEqual([sink.writtenBytes()])
})

test('for a master playlist the highest variant is downloaded', async () => {
  const { requests, sink } = await downloaded('/media/hls-ts/master.m3u8')
  expect(requests.some(({ path }) => path.endsWith('stream_0_005.ts'))).toBe(true)
  expect(requests.some(({ path }) => path.includes('stream_1'))).toBe(false)
  expect((await framesOf(sink.path)).frames.video).toBe(sixSecondsOfVideo)
})

test('URLs are relative to the URL of the playlist after redirects', async () => {
  const { sink } = await downloaded('/media/elsewhere.m3u8?redirectTo=%2Fmedia%2Fhls-ts%2Fstream_1.m3u8')
  expect((await framesOf(sink.path)).frames.video).toBe(sixSecondsOfVideo)
})

test.each(['hls-aes', 'hls-aes-iv'])(
  'AES-128 segments from ffmpeg (%s) are decrypted, with one request for the key',
  async (folder) => {
    const { sink, requests } = await downloaded(`/media/${folder}/stream.m3u8`)
    expect(requests.filter(({ path }) => path.endsWith('secret.key'))).toHaveLength(1)
    const { frames, errors } = await framesOf(sink.path)
    expect(frames.video).toBe(sixSecondsOfVideo)
    expect(errors).toBe('')
  },
)

/** A folder with two keys, three segments encrypted according to RFC 8216, and an unencrypted one. */
async function encryptedFolder(playlist: string) {
  const root = scratch()
  const keys = { one: Buffer.alloc(16, 1), two: Buffer.alloc(16, 2) }
  const encrypted = (key: Buffer, iv: Buffer, text: string) => {
    const cipher = createCipheriv('aes-128-cbc', key, iv)
    return Buffer.concat([cipher.update(text), cipher.final()])
  }
  const files: Record<string, Buffer | string> = {
    'one.key': keys.one,
    'two.key': keys.two,
    'short.key': 'short',
    // The IV of the first two is their sequence number, 4294967296 and the one after it.
    'a.ts': encrypted(keys.one, Buffer.from('00000000000000000000000100000000', 'hex'), 'segment a, '),
    'b.ts': encrypted(keys.one, Buffer.from('00000000000000000000000100000001', 'hex'), 'sixteen bytes b,'),
    'c.ts': encrypted(keys.two, Buffer.from('0123456789abcdef0123456789abcdef', 'hex'), 'segment c, '),
    'd.ts': 'clear d',
    'playlist.ts': playlist,
    'list.m3u8': playlist,
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content)
  return root
}

const encryptedList = `#EXTM3U
#EXT-X-TARGETDURATION:2
#EXT-X-MEDIA-SEQUENCE:4294967296
#EXT-X-KEY:METHOD=AES-128,URI="one.key"
#EXTINF:2,Où est l’été, "quoted"
a.ts
#EXTINF:2,
b.ts
#EXT-X-DISCONTINUITY
#EXT-X-KEY:METHOD=AES-128,URI="two.key",IV=0x0123456789ABCDEF0123456789ABCDEF
#EXTINF:2,
c.ts
#EXT-X-KEY:METHOD=NONE
#EXTINF:2,
d.ts
#EXT-X-ENDLIST
`

test('keys may change, IVs may be explicit or the sequence number, and the last segment may be unencrypted', async () => {
  const { sink, requests } = await downloaded('/media/list.m3u8', await encryptedFolder(encryptedList))
  expect(await readFile(sink.path, 'utf8')).toBe('segment a, sixteen bytes b,segment c, clear d')
  expect(requests.filter(({ path }) => path.endsWith('.key'))).toHaveLength(2)
})

test('encrypted segments that are kept as separate files share their keys', async () => {
  const { origin, egress } = await anOrigin(await encryptedFolder(encryptedList))
  const transport = { kind: 'hls' as const, url: `${origin.url}/media/list.m3u8`, headers: {} }
  const context = { egress, signal: never }
  const segments = unpackSegments(await segmentListOf(transport, context))
  const files = await fetchSegmentFiles({ segments, headers: {} }, context, 1_000)
  expect(files.map(String)).toEqual(['segment a, ', 'sixteen bytes b,', 'segment c, ', 'clear d'])
  expect(origin.requests.filter(({ path }) => path.endsWith('.key'))).toHaveLength(2)
})

test.each([
  ['a key of another length', encryptedList.replace('one.key', 'short.key'), 'SOURCE_DRM'],
  ['a missing key', encryptedList.replace('one.key', 'none.key'), 'SOURCE_NOT_FOUND'],
  ['a wrong key', encryptedList.replace('one.key', 'two.key'), 'SOURCE_TRUNCATED'],
  ['SAMPLE-AES', encryptedList.replaceAll('METHOD=AES-128', 'METHOD=SAMPLE-AES'), 'SOURCE_DRM'],
  [
    'FairPlay',
    encryptedList.replace('"one.key"', '"one.key",KEYFORMAT="com.apple.streamingkeydelivery"'),
    'SOURCE_DRM',
  ],
  ['a live stream', encryptedList.replace('#EXT-X-ENDLIST', ''), 'SOURCE_LIVE'],
  ['a gap', encryptedList.replace('#EXTINF:2,\nd', '#EXT-X-GAP\n#EXTINF:2,\nd'), 'SOURCE_TRUNCATED'],
  ['a missing segment', encryptedList.replace('d.ts', 'e.ts'), 'SOURCE_TRUNCATED'],
  ['no segments', '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-ENDLIST\n', 'SOURCE_UNSUPPORTED'],
  ['a page instead of a playlist', '<html></html>', 'SOURCE_UNSUPPORTED'],
  ['a private address', encryptedList.replace('d.ts', 'http://127.0.0.1:1/d.ts'), 'SOURCE_UNREACHABLE'],
  ['the URL of a local file', encryptedList.replace('d.ts', 'file:///etc/passwd'), 'SOURCE_UNREACHABLE'],
  [
    'a master playlist that lists itself',
    '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlist.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=0\nlist.m3u8\n',
    'SOURCE_UNSUPPORTED',
  ],
  ['a media playlist that lists itself', encryptedList.replace('d.ts', 'list.m3u8'), 'SOURCE_UNSUPPORTED'],
  [
    'a live media playlist that lists itself',
    encryptedList.replace('d.ts', './list.m3u8').replace('#EXT-X-ENDLIST', ''),
    'SOURCE_UNSUPPORTED',
  ],
  [
    'a media playlist that lists another playlist',
    encryptedList.replace('d.ts', 'elsewhere/other.M3U8?a=b'),
    'SOURCE_UNSUPPORTED',
  ],
  ['a playlist with the extension of a segment', encryptedList.replace('d.ts', 'playlist.ts'), 'SOURCE_UNSUPPORTED'],
])('%s is refused', async (_description, playlist, code) => {
  const { outcome } = await downloaded('/media/list.m3u8', await encryptedFolder(playlist))
  expect(outcome).toMatchObject({ code })
})

test('a VOD playlist without its end tag counts as live', async () => {
  const { outcome, requests } = await downloaded('/media/hls-ts/stream_0.m3u8?drop=EXT-X-ENDLIST')
  expect(outcome).toMatchObject({ code: 'SOURCE_LIVE' })
  expect(requests).toHaveLength(1)
})

test('a segment that stalls is read to its end', async () => {
  const query = encodeURIComponent('stallAfter=5000')
  const { sink } = await downloaded(`/media/hls-ts/stream_0.m3u8?uris=${query}&only=_003`)
  expect((await framesOf(sink.path)).frames.video).toBe(sixSecondsOfVideo)
})
