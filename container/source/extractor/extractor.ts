import { failureOfExtractor, SourceFailure } from '../../failures.ts'
import type { Extractor } from '../resolve.ts'
import type { Source } from '../source.ts'
import { describe } from './describe.ts'
import type { ExtractorAnswer } from './extractor-answer.ts'
import { createWarmProcess, WarmProcessDied } from './warm-process.ts'

export interface WarmExtractor extends Extractor {
  /** Starts the process, so that the first request does not wait for it. Rejects when it cannot start. */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface ExtractorOptions {
  /** The Python interpreter of a venv that contains yt-dlp. */
  python: string
  /** Limit for one request. The caller's signal may end it earlier. */
  timeoutSeconds?: number
}

/** Resolves pages and manifests with yt-dlp. A live source is not an error here: the result has `isLive`. */
export const createExtractor = ({ python, timeoutSeconds = 90 }: ExtractorOptions): WarmExtractor => {
  const warm = createWarmProcess(python)
  const extract: Extractor['extract'] = async (url, egress, signal) => {
    const request = { url, proxySocket: egress.proxySocket, timeoutSeconds }
    // Extraction changes nothing at the source, so it is safe to retry once after a crash.
    const answer = await warm.send(request, signal).catch((error) => {
      if (error instanceof WarmProcessDied) return warm.send(request, signal)
      throw error
    })
    return sourceOf(answer, url)
  }
  return { extract, ready: warm.ready, close: warm.close }
}

const sourceOf = (answer: ExtractorAnswer, url: string): Source => {
  if ('info' in answer) return describe(answer.info, url)
  if ('died' in answer) {
    // Other causes than a timeout are too much memory, too long an answer and a crash, all due to the page.
    throw new SourceFailure(answer.died === 'timeout' ? 'TIMED_OUT' : 'SOURCE_UNSUPPORTED')
  }
  const { text, kind } = answer.error
  if (text.includes('The URL is a playlist')) {
    throw new SourceFailure('SOURCE_UNSUPPORTED', 'The URL is a playlist. Send the URL of a single video.')
  }
  throw new SourceFailure(failureOfExtractor(text, kind), undefined, { cause: text })
}
