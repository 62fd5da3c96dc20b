import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { createGuard } from '../../container/egress/guard.ts'
import { createEgress } from '../../container/egress/outlet.ts'
import { createExtractor, type WarmExtractor } from '../../container/source/extractor/extractor.ts'
import type { Source } from '../../container/source/source.ts'
import { onLoopback } from '../loopback.ts'
import { hls, html, pages } from './extractor-pages.ts'
import { python } from './step-run.ts'

export interface ExtractorSite {
  readonly origin: string
  /** A second server, where the guard lets nobody go. */
  readonly inside: string
  readonly insideVisits: number
  readonly extractor: WarmExtractor
  readonly egress: Egress
  extract(path: string): Promise<Source>
}

/** Python that finds the extractor's own modules. */
export const importingOwn = `import sys; sys.path.insert(0, ${JSON.stringify(join(import.meta.dirname, '../../container/source/extractor'))})`

/** A warm extractor and a site of pages for it, for the tests of one file. */
export const extractorSite = (): ExtractorSite => {
  let origin: string
  let inside: string
  let insideVisits = 0
  let extractor: WarmExtractor
  let egress: Egress
  const closing: (() => unknown)[] = []
  const listen = async (answer: RequestListener): Promise<string> => {
    const { url, close } = await onLoopback(createServer(answer))
    closing.push(close)
    return url
  }
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
  return {
    get origin() {
      return origin
    },
    get inside() {
      return inside
    },
    get insideVisits() {
      return insideVisits
    },
    get extractor() {
      return extractor
    },
    get egress() {
      return egress
    },
    extract: (path) => extractor.extract(origin + path, egress, never),
  }
}

/** Who hangs is ended by the test's own time. */
export const never = new AbortController().signal
