import { execFileSync } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { createGuard } from '../../container/egress/guard.ts'
import { createEgress } from '../../container/egress/outlet.ts'
import { isolation, run } from '../../container/process.ts'
import { createExtractor, type WarmExtractor } from '../../container/source/extractor/extractor.ts'
import { onLoopback } from '../loopback.ts'

const root = join(import.meta.dirname, '../..')
const python = process.env.HAUL_PYTHON ?? join(root, '.tools/venv/bin/python')

const hls = 'application/vnd.apple.mpegurl'
const master = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="audio.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="subs.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.42c01e,mp4a.40.2",AUDIO="a",SUBTITLES="s"
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a",SUBTITLES="s"
high.m3u8
`
const vod = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n#EXTINF:4.5,\n1.ts\n#EXT-X-ENDLIST\n'
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
const ranges = mpd(`<AdaptationSet mimeType="video/mp4"><Representation id="v" codecs="avc1.64001f" bandwidth="2000000">
<BaseURL>whole.mp4</BaseURL><SegmentList timescale="1" duration="2"><Initialization range="0-99"/>
<SegmentURL mediaRange="100-199"/><SegmentURL mediaRange="200-299"/></SegmentList></Representation></AdaptationSet>`)
const drm = mpd(`<AdaptationSet mimeType="video/mp4">
<ContentProtection schemeIdUri="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"/>
<Representation id="v" codecs="avc1.64001f" bandwidth="2000000"><BaseURL>v.mp4</BaseURL></Representation></AdaptationSet>`)
const html = (body: string) => `<html><head><title>A page</title></head><body>${body}</body></html>`
const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>
<item><title>One</title><enclosure url="/1.mp3" type="audio/mpeg"/></item></channel></rss>`

const pages: Record<string, [contentType: string, body: string]> = {
  '/one': [
    'text/html',
    html(`<video poster="/poster.jpg"><source src="/v.mp4" type="video/mp4">
      <track kind="subtitles" srclang="en" src="/en.vtt"></video>`),
  ],
  '/several': ['text/html', html('<video src="/first.mp4"></video><video src="/second.mp4"></video>')],
  '/none': ['text/html', html('<p>Nothing to see</p>')],
  '/page-of-hls': ['text/html', html(`<video><source src="/master.m3u8" type="${hls}"></video>`)],
  '/master.m3u8': [hls, master],
  '/low.m3u8': [hls, vod],
  '/high.m3u8': [hls, vod],
  '/audio.m3u8': [hls, vod],
  '/live.m3u8': [hls, vod.replace('#EXT-X-ENDLIST\n', '')],
  '/dash.mpd': ['application/dash+xml', dash],
  '/ranges.mpd': ['application/dash+xml', ranges],
  '/drm.mpd': ['application/dash+xml', drm],
  '/feed.xml': ['application/rss+xml', feed],
}

const listen = async (answer: RequestListener): Promise<string> => {
  const { url, close } = await onLoopback(createServer(answer))
  closing.push(close)
  return url
}

const closing: (() => unknown)[] = []
let origin: string
let inside: string
let insideVisits = 0
let extractor: WarmExtractor
let egress: Egress
beforeAll(async () => {
  inside = await listen((_, answer) => {
    insideVisits++
    answer.writeHead(200, { 'content-type': 'text/html' }).end(pages['/one']?.[1])
  })
  origin = await listen((incoming, answer) => {
    const path = incoming.url ?? '/'
    const page = pages[path]
    const status = /^\/status\/(\d+)/.exec(path)?.[1]
    if (page) answer.writeHead(200, { 'content-type': page[0] }).end(page[1])
    else if (status) answer.writeHead(Number(status)).end()
    else if (path === '/inside') answer.writeHead(302, { location: `${inside}/one` }).end()
    else if (path === '/inside.m3u8')
      answer
        .writeHead(200, { 'content-type': 'text/html' })
        .end(html(`<video><source src="${inside}/master.m3u8" type="${hls}"></video>`))
    else if (path !== '/hangs') answer.writeHead(404).end()
  })
  egress = await createEgress({ guard: createGuard({ allow: new URL(origin).host, lookup: async () => [] }) })
  extractor = createExtractor({ python })
  await extractor.ready()
})
afterAll(async () => {
  await extractor.close()
  await egress.close()
  for (const close of closing) await close()
})

const extract = (path: string, signal = AbortSignal.timeout(30_000)) => extractor.extract(origin + path, egress, signal)

describe('pages', () => {
  test('a page with a video becomes a source with its captions', async () => {
    const source = await extract('/one')
    expect(source).toMatchObject({ title: 'A page', platform: 'generic', isLive: false, direct: false, note: null })
    expect(source.thumbnailUrl).toBe(`${origin}/poster.jpg`)
    expect(source.renditions).toMatchObject([
      {
        container: 'mp4',
        videoCodec: 'unknown',
        audioCodec: 'unknown',
        transport: { kind: 'file', url: `${origin}/v.mp4` },
      },
    ])
    expect(source.renditions[0]?.transport).toHaveProperty('headers.Referer', `${origin}/one`)
    expect(source.captions).toMatchObject([
      { language: 'en', kind: 'manual', format: 'vtt', transport: { kind: 'file', url: `${origin}/en.vtt` } },
    ])
  })

  test('of a page with several videos the first is taken and the note says so', async () => {
    const source = await extract('/several')
    expect(source.renditions.map(({ transport }) => transport)).toMatchObject([{ url: `${origin}/first.mp4` }])
    expect([source.title, source.note]).toEqual(['A page', 'The page holds several videos. The first one was taken.'])
  })

  test('a video of a page may be a manifest', async () => {
    const source = await extract('/page-of-hls')
    expect(source.platform).toBe('generic')
    expect(source.renditions.map(({ height }) => height)).toEqual([null, 360, 720])
  })

  test('a feed is a playlist, which is refused in a sentence', async () => {
    await expect(extract('/feed.xml')).rejects.toMatchObject({
      code: 'SOURCE_UNSUPPORTED',
      message: 'The URL is a playlist. Send the URL of a single video.',
    })
  })

  test.each([
    ['the embeds of a page', 'playlist', 'Generic', '[url, url]', 'False'],
    ['the videos of one post', 'playlist', 'Twitter', '[video, video]', 'False'],
    ['links to pages of their own', 'playlist', 'YoutubeTab', '[url, url]', 'True'],
    ['a list that comes piece by piece', 'playlist', 'Vimeo', 'iter([video])', 'True'],
    ['the parts of one video', 'multi_video', 'Youku', '[video, video]', 'True'],
    ['the parts of one video on any page', 'multi_video', 'Generic', '[video, video]', 'True'],
  ])('%s: playlist or not', async (_, type, extractor, entries, answer) => {
    const script = `
import sys; sys.path.insert(0, ${JSON.stringify(join(root, 'container/source/extractor'))})
import resolve
url, video = {'_type': 'url'}, {'formats': []}
print(resolve.is_playlist({'_type': '${type}', 'extractor_key': '${extractor}', 'id': 'x'}, ${entries}))`
    const { stdout } = await run(python, ['-B', '-c', script], { timeoutMs: 30_000 })
    expect(stdout.trim()).toBe(answer)
  })

  test.each([
    ['/none', 'SOURCE_UNSUPPORTED'],
    ['/missing', 'SOURCE_NOT_FOUND'],
    ['/status/403', 'SOURCE_BLOCKED'],
    ['/status/429', 'SOURCE_RATE_LIMITED'],
    ['/status/451', 'SOURCE_REGION_BLOCKED'],
    ['/status/500', 'SOURCE_UNREACHABLE'],
    ['/drm.mpd', 'SOURCE_DRM'],
  ])('%s fails with %s', async (path, code) => {
    await expect(extract(path)).rejects.toMatchObject({ code })
  })
})

describe('manifests', () => {
  test('HLS: renditions with separate audio, codecs, duration and captions', async () => {
    const source = await extract('/master.m3u8')
    expect(source).toMatchObject({ platform: 'hls', durationSeconds: 10, isLive: false, direct: false })
    const unknownSize = { sizeBytes: null, sizeIsEstimate: false }
    expect(source.renditions).toMatchObject([
      { ...unknownSize, videoCodec: null, audioCodec: 'unknown', language: 'en', preference: 0 },
      { ...unknownSize, videoCodec: 'avc1.42c01e', audioCodec: null, width: 640, height: 360, bitrate: 800_000 },
      { ...unknownSize, videoCodec: 'avc1.64001f', audioCodec: null, width: 1280, height: 720, bitrate: 2_500_000 },
    ])
    expect(source.renditions.map(({ transport }) => transport)).toMatchObject(
      ['audio', 'low', 'high'].map((name) => ({ kind: 'hls', url: `${origin}/${name}.m3u8` })),
    )
    expect(source.captions).toMatchObject([
      { language: 'de', kind: 'manual', format: 'vtt', transport: { kind: 'hls', url: `${origin}/subs.m3u8` } },
    ])
  })

  test('a stream without an end is live', async () => {
    expect(await extract('/live.m3u8')).toMatchObject({ isLive: true, platform: 'hls' })
  })

  test('DASH: segments in order, the initialization first, audio and captions apart', async () => {
    const source = await extract('/dash.mpd')
    expect(source).toMatchObject({ platform: 'dash', isLive: false })
    expect(source.renditions).toMatchObject([
      { videoCodec: null, audioCodec: 'mp4a.40.2', language: 'en', audioBitrate: 128_000, sizeBytes: null },
      { videoCodec: 'avc1.64001f', audioCodec: null, height: 720, bitrate: 2_000_000, sizeBytes: null },
    ])
    const { transport } = source.renditions[1] ?? {}
    expect(transport).toMatchObject({
      kind: 'segments',
      segments: ['init.mp4', '1.m4s', '2.m4s', '3.m4s'].map((name) => ({
        url: `${origin}/v/${name}`,
        range: null,
        key: null,
      })),
    })
    expect(source.captions).toMatchObject([
      { language: 'de', format: 'vtt', transport: { kind: 'file', url: `${origin}/de.vtt` } },
    ])
  })

  test('DASH: byte ranges of one file are that file', async () => {
    const { renditions } = await extract('/ranges.mpd')
    expect(renditions).toMatchObject([{ transport: { kind: 'file', url: `${origin}/whole.mp4` } }])
  })
})

describe('the way out', () => {
  test('neither a redirect nor a link leads inside', async () => {
    await expect(extract('/inside')).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    await expect(extract('/inside.m3u8')).rejects.toHaveProperty('code')
    await expect(extractor.extract(`${inside}/one`, egress, AbortSignal.timeout(30_000))).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    })
    expect(insideVisits).toBe(0)
  })

  test('a file of our own is none of its pages', async () => {
    const file = extractor.extract('file:///etc/passwd', egress, AbortSignal.timeout(30_000))
    await expect(file).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  })

  test('what it reads is counted', async () => {
    const before = egress.receivedBytes
    await extract('/one')
    expect(egress.receivedBytes - before).toBe(pages['/one']?.[1].length)
  })

  test('a fork has no network, no privilege and no file to write', async (context) => {
    if ((await isolation()).network === 'none') return context.skip()
    const script = `
import sys; sys.path.insert(0, ${JSON.stringify(join(root, 'container/source/extractor'))})
import confine, socket, tempfile, urllib.request
confine.leave_network(); confine.drop_privileges(); confine.limit(5, 512)
print([name for _, name in socket.if_nameindex()])
try: urllib.request.urlopen(${JSON.stringify(`${inside}/one`)}); print('reached')
except OSError as error: print(error.reason.strerror)
print([line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapPrm', 'CapEff', 'CapBnd')])
try: tempfile.TemporaryFile(buffering=0).write(b'x'); print('wrote')
except OSError: print('wrote nothing')`
    const { stdout } = await run(python, ['-B', '-c', script], {
      timeoutMs: 20_000,
      network: 'host',
      capabilities: 'kept',
    })
    expect(stdout.split('\n')).toEqual([
      "['lo']",
      'Connection refused',
      `['${'0'.repeat(16)}', '${'0'.repeat(16)}', '${'0'.repeat(16)}']`,
      'wrote nothing',
      '',
    ])
  })
})

describe('the warm process', () => {
  test('has Node for the scripts of players, confined like itself', async () => {
    const script = `
import sys; sys.path.insert(0, ${JSON.stringify(join(root, 'container/source/extractor'))})
import confine, os, resolve
resolver = resolve.Resolver(node=${JSON.stringify(process.execPath)})
confine.leave_network(); confine.drop_privileges(); confine.limit(20, 2048); os.environ.clear()
info = resolver._js_runtimes['node'].info
print(info.version, info.supported)`
    const { stdout } = await run(python, ['-B', '-c', script], { timeoutMs: 30_000, capabilities: 'kept' })
    expect(stdout.trim()).toBe(`${process.version.slice(1)} True`)
  })

  const own = (options: { timeoutSeconds?: number } = {}): WarmExtractor => {
    const made = createExtractor({ python, ...options })
    onTestFinished(() => made.close())
    return made
  }
  const processes = (parent: number): number[] => {
    const all = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n')
    return all
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, ppid, stat, ...args]) =>
          Number(ppid) === parent && !stat?.startsWith('Z') && args.join(' ').includes('warm.py'),
      )
      .map(([pid]) => Number(pid))
  }
  /** The process that a test's own extractor started: the newest of ours. */
  const newest = () => Math.max(...processes(process.pid))
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  test('answers several questions at once, each in its own process', async () => {
    const sources = await Promise.all([
      extract('/one'),
      extract('/dash.mpd'),
      extract('/master.m3u8'),
      extract('/several'),
    ])
    expect(sources.map(({ platform }) => platform)).toEqual(['generic', 'dash', 'hls', 'generic'])
  })

  test('an abort rejects at once with its reason and the fork is gone', async () => {
    const its = own()
    await its.ready()
    const warm = newest()
    const abort = new AbortController()
    const hanging = its.extract(`${origin}/hangs`, egress, abort.signal)
    await until(() => processes(warm).length === 1)
    abort.abort(new Error('canceled'))
    await expect(hanging).rejects.toThrow('canceled')
    await until(() => processes(warm).length === 0)
  })

  test('a question that takes too long ends as such', async () => {
    const slow = own({ timeoutSeconds: 0.5 }).extract(`${origin}/hangs`, egress, AbortSignal.timeout(30_000))
    await expect(slow).rejects.toMatchObject({ code: 'TIMED_OUT' })
  })

  test('one that has died, even in the middle of a question, is started anew', async () => {
    const its = own()
    await its.ready()
    const warm = newest()
    process.kill(warm, 'SIGKILL')
    const answered = its.extract(`${origin}/one`, egress, AbortSignal.timeout(30_000))
    expect((await answered).title).toBe('A page')
    expect(newest()).not.toBe(warm)
  })

  test('its forks die with it', async () => {
    const its = createExtractor({ python })
    await its.ready()
    const warm = newest()
    const hanging = its.extract(`${origin}/hangs`, egress, AbortSignal.timeout(30_000)).catch((error) => error)
    await until(() => processes(warm).length === 1)
    const [fork = 0] = processes(warm)
    await its.close()
    expect(await hanging).toBeInstanceOf(Error)
    await until(() =>
      execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' })
        .split('\n')
        .every((line) => !new RegExp(`^\\s*${fork} [^Z]`).test(line)),
    )
  })

  test('says so when it cannot run', async () => {
    const broken = createExtractor({ python: '/nowhere/python' })
    await expect(broken.ready()).rejects.toThrow()
    await expect(broken.extract(`${origin}/one`, egress, AbortSignal.timeout(5_000))).rejects.not.toHaveProperty('code')
    await broken.close()
  })
})
