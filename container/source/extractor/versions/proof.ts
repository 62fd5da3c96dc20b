import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type Egress, plainEgress } from '../../../egress/egress.ts'
import type { Source } from '../../source.ts'
import type { WarmExtractor } from '../extractor.ts'

const TIMEOUT_MS = 60_000

/** Before a job gets a version of yt-dlp, that version must read these pages within its walls. */
export const prove = async (extractor: WarmExtractor, socketFolder: string, signal: AbortSignal): Promise<void> => {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const pages = await servePages(socketFolder)
  try {
    const extract = (path: string) => extractor.extract(proofOrigin + path, pages.egress, bounded)
    const list = (path: string) => extractor.list(proofOrigin + path, 10, pages.egress, bounded)
    await proven('a page', async () => (await extract('/page')).title === 'A page')
    await proven('a list', async () => (await list('/list')).items.length === 3)
    await proven('a feed', async () => (await list('/feed')).items.map(({ title }) => title).join() === 'One,Two')
    await proven('HLS', async () => linesOf(await extract('/master.m3u8')).join() === '360,720')
    await proven('DASH', async () => linesOf(await extract('/film.mpd')).join() === '360')
    const problem = await extractor.scriptProblem(bounded)
    if (problem !== null) throw new Error(problem)
  } finally {
    await pages.close()
  }
}

const linesOf = ({ renditions }: Source): number[] =>
  renditions.flatMap(({ height }) => height ?? []).toSorted((one, other) => one - other)

const proven = async (what: string, check: () => Promise<boolean>): Promise<void> => {
  const isRight = await check().catch((cause) => {
    throw new Error(`it fails to read ${what} (${(cause as Error).message})`, { cause })
  })
  if (!isRight) throw new Error(`it reads ${what} wrongly`)
}

/** The proxy of an egress that leads nowhere but to these pages. */
const servePages = async (socketFolder: string) => {
  const folder = await mkdtemp(join(socketFolder, 'haul-proof-'))
  const socketPath = join(folder, 'proxy')
  const server = createServer((request, response) => {
    const { [request.url?.replace(proofOrigin, '') ?? '']: page } = proofPages
    if (page) response.writeHead(200, { 'content-type': page[0] }).end(page[1])
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve))
  // A fork of the extractor may have a user of its own.
  await chmod(socketPath, 0o666)
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true, force: true })
  }
  const egress: Egress = {
    ...plainEgress,
    fetch: () => Promise.reject(new Error('only yt-dlp is proven')),
    proxySocket: async () => socketPath,
    close,
  }
  return { egress, close }
}

/** A host that does not exist. */
const proofOrigin = 'http://proof.invalid'

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

/** One page for each kind of source: Content-Type and body, by path. */
const proofPages: Record<string, readonly [contentType: string, body: string]> = {
  '/page': [html, page('A page', film('film'))],
  '/list': [html, page('A list', ['one', 'two', 'three'].map(film).join(''))],
  '/feed': ['application/rss+xml', feed],
  '/master.m3u8': [hls, master],
  '/360.m3u8': [hls, media],
  '/720.m3u8': [hls, media],
  '/film.mpd': ['application/dash+xml', mpd],
}
