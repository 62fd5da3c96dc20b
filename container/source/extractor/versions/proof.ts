import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { plainAccess } from '../../../egress/access.ts'
import type { Egress } from '../../../egress/egress.ts'
import type { Source } from '../../source.ts'
import type { WarmExtractor } from '../extractor.ts'
import { proofOrigin, proofPages } from './proof-pages.ts'

/** What an engine requires of a version of yt-dlp before a job gets it. */

export class NotProven extends Error {}

const TIMEOUT_MS = 60_000

/** Has it read the pages of proof-pages.ts, within the walls in which it would read those of jobs. */
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
    if (problem !== null) throw new NotProven(problem)
  } finally {
    await pages.close()
  }
}

const linesOf = ({ renditions }: Source): number[] =>
  renditions.flatMap(({ height }) => height ?? []).toSorted((one, other) => one - other)

const proven = async (what: string, check: () => Promise<boolean>): Promise<void> => {
  const isRight = await check().catch((cause) => {
    throw new NotProven(`it fails to read ${what} (${(cause as Error).message})`, { cause })
  })
  if (!isRight) throw new NotProven(`it reads ${what} wrongly`)
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
    fetch: () => Promise.reject(new Error('only yt-dlp is proven')),
    proxySocket: async () => socketPath,
    tokenHost: null,
    lastProxyFailure: null,
    readBytes: 0,
    access: plainAccess,
    close,
  }
  return { egress, close }
}
