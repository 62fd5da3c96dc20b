import { failureOfExtractor } from '../../failures.ts'
import { SourceFailure } from '../failure.ts'
import type { Extractor } from '../resolve.ts'
import type { Source } from '../source.ts'
import type { Answer } from './answer.ts'
import { describe } from './describe.ts'
import { createWarmProcess, WarmProcessDied } from './warm.ts'

export interface WarmExtractor extends Extractor {
  /** Starts the process, so that the first question finds it warm. Rejects when it cannot run. */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface ExtractorOptions {
  /** The interpreter of a venv that has yt-dlp. */
  python: string
  /** The longest that one question may take; the caller's signal may end it earlier. */
  timeoutSeconds?: number
}

/** Resolves pages and manifests with yt-dlp. A live source comes back as such, with `isLive`. */
export const createExtractor = ({ python, timeoutSeconds = 90 }: ExtractorOptions): WarmExtractor => {
  const warm = createWarmProcess(python)
  const extract: Extractor['extract'] = async (url, egress, signal) => {
    const question = { url, proxySocket: egress.proxySocket, timeoutSeconds }
    // Asking changes nothing at the source: a death in between is made good here.
    const answer = await warm.ask(question, signal).catch((error) => {
      if (error instanceof WarmProcessDied) return warm.ask(question, signal)
      throw error
    })
    return sourceOf(answer, url)
  }
  return { extract, ready: warm.ready, close: warm.close }
}

const sourceOf = (answer: Answer, url: string): Source => {
  if ('info' in answer) return describe(answer.info, url)
  if ('died' in answer) {
    // A page that needs more memory or says more than a page may is none that can be read.
    throw new SourceFailure(answer.died === 'timeout' ? 'TIMED_OUT' : 'SOURCE_UNSUPPORTED')
  }
  const { text, kind } = answer.error
  if (text.includes('The URL is a playlist')) {
    throw new SourceFailure('SOURCE_UNSUPPORTED', 'The URL is a playlist. Send the URL of a single video.')
  }
  throw new SourceFailure(failureOfExtractor(text, kind), undefined, { cause: text })
}
