import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { createEgress, type Egress } from '../../../../container/egress/egress.ts'
import { createGuard } from '../../../../container/egress/guard.ts'
import { run } from '../../../../container/sandbox/process.ts'
import { nodeFiles, pythonFiles } from '../../../../container/sandbox/program-files.ts'
import type { WarmExtractor } from '../../../../container/source/extractor/extractor.ts'
import type { Source } from '../../../../container/source/source.ts'
import { listenOnLoopback } from '../../../support/loopback.ts'
import { hls, html, pages } from './pages.ts'
import { python, sharedExtractor } from './shared-extractor.ts'

export interface ExtractorSite {
  readonly origin: string
  /** A second server, which the guard forbids. */
  readonly forbidden: string
  readonly forbiddenRequests: number
  readonly extractor: WarmExtractor
  readonly egress: Egress
  extract(path: string): Promise<Source>
}

const modules = join(import.meta.dirname, '../../../../container/source/extractor/python')
const importModules = `import sys; sys.path.insert(0, ${JSON.stringify(modules)})`

/** Runs Python code that may import the extractor's modules, and returns its output. */
export const inExtractor = async (code: string): Promise<string> => {
  const reads = [...(await pythonFiles(python)), modules, ...nodeFiles]
  const { stdout, stderr } = await run(python, ['-B', '-c', `${importModules}\n${code}`], { timeoutMs: 30_000, reads })
  if (stdout === '') throw new Error(stderr)
  return stdout.trim()
}

/** An extractor and a site with pages, shared by the tests of one file. `more`: further paths. */
export const extractorSite = (more: Record<string, RequestListener> = {}): ExtractorSite => {
  let origin: string
  let forbidden: string
  let forbiddenRequests = 0
  const extractor = sharedExtractor()
  let egress: Egress
  const closing: (() => unknown)[] = []
  const listen = async (listener: RequestListener): Promise<string> => {
    const { url, close } = await listenOnLoopback(createServer(listener))
    closing.push(close)
    return url
  }
  beforeAll(async () => {
    forbidden = await listen((_, response) => {
      forbiddenRequests++
      response.writeHead(200, { 'content-type': 'text/html' }).end(pages['/one']?.[1])
    })
    origin = await listen((incoming, response) => {
      const path = incoming.url ?? '/'
      const page = pages[path]
      const status = /^\/status\/(\d+)/.exec(path)?.[1]
      if (more[path]) more[path](incoming, response)
      else if (page) response.writeHead(200, { 'content-type': page[0] }).end(page[1])
      else if (status) response.writeHead(Number(status)).end()
      else if (path === '/redirect-to-forbidden') response.writeHead(302, { location: `${forbidden}/one` }).end()
      else if (path === '/link-to-forbidden')
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(html(`<video><source src="${forbidden}/master.m3u8" type="${hls}"></video>`))
      else if (path !== '/hangs') response.writeHead(404).end()
    })
    egress = createEgress({ guard: createGuard({ allow: new URL(origin).host, lookup: async () => [] }) })
  })
  afterAll(async () => {
    await egress.close()
    for (const close of closing) await close()
  })
  return {
    get origin() {
      return origin
    },
    get forbidden() {
      return forbidden
    },
    get forbiddenRequests() {
      return forbiddenRequests
    },
    extractor,
    get egress() {
      return egress
    },
    extract: (path) => extractor.extract(origin + path, egress, never),
  }
}

/** A test that hangs ends with its own timeout. */
export const never = new AbortController().signal
