import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { listenOnLoopback } from '../../support/loopback.ts'
import { generatedBody } from './bodies.ts'
import { fixturesRoot } from './fixtures.ts'

/**
 * A server of films whose downloads do not end before they are released. Until then each gets enough bytes not to count
 * as unreachable.
 */
export interface DrippingSource {
  /** Without a slash at the end. */
  url: string
  host: string
  /** How many downloads of the path have begun. */
  startsOf(path: string): number
  /** Completes all downloads, and those that come later. */
  release(): void
  /** Later downloads drip again. */
  hold(): void
  close(): Promise<void>
}

export const FILM_BYTES = 8_000_000
const FIRST_BYTES = 100_000
/** Four times the least speed that a source must have, because a timer is late on a busy machine. */
const DRIP = { bytes: 16_384, everyMs: 500 }

export const startDrippingSource = async (): Promise<DrippingSource> => {
  const body = await generatedBody(join(fixturesRoot, 'faststart.mp4'), FILM_BYTES)
  const chunks: Uint8Array[] = []
  for await (const chunk of body?.read(0, FILM_BYTES) ?? []) chunks.push(chunk)
  const film = Buffer.concat(chunks)
  const running = new Map<ServerResponse, { sentBytes: number }>()
  const starts = new Map<string, number>()
  const startsOf = (path: string) => starts.get(path) ?? 0
  let isReleased = false

  const sendUpTo = (response: ServerResponse, end: number) => {
    const download = running.get(response)
    if (!download) return
    const { sentBytes } = download
    download.sentBytes = Math.min(end, FILM_BYTES)
    response.write(film.subarray(sentBytes, download.sentBytes))
    if (download.sentBytes < FILM_BYTES) return
    response.end()
    running.delete(response)
  }
  const server = createServer(({ url: path = '/', headers }, response) => {
    // The Worker requests 1 KiB to check that a URL can be reached.
    if (headers.range === 'bytes=0-1023') return void response.end()
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': FILM_BYTES })
    starts.set(path, startsOf(path) + 1)
    running.set(response, { sentBytes: 0 })
    response.once('close', () => running.delete(response))
    sendUpTo(response, isReleased ? FILM_BYTES : FIRST_BYTES)
  })
  const dripping = setInterval(() => {
    for (const [response, { sentBytes }] of running) sendUpTo(response, sentBytes + DRIP.bytes)
  }, DRIP.everyMs)
  const { url, host, close } = await listenOnLoopback(server)
  return {
    url,
    host,
    startsOf,
    release: () => {
      isReleased = true
      for (const response of running.keys()) sendUpTo(response, FILM_BYTES)
    },
    hold: () => {
      isReleased = false
    },
    close: async () => {
      clearInterval(dripping)
      await close()
    },
  }
}
