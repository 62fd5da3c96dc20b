import { tmpdir } from 'node:os'
import type { Egress } from '../../egress/egress.ts'
import { SourceFailure, UrlIsPlaylist } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import type { Lister } from '../list/list-source.ts'
import type { Extractor } from '../resolve.ts'
import { createWarmProcess, WarmProcessDied } from './warm-process.ts'

export type WarmExtractor = ReturnType<typeof createExtractor>

interface ExtractorOptions {
  /** The Python interpreter of a venv that contains yt-dlp. */
  python: string
  /** Defaults to the system's temporary folder, like that of an egress. */
  socketFolder?: string
  /** Limit for one request. The caller's signal may end it earlier. */
  timeoutSeconds?: number
  /** Called after each start of yt-dlp that can do what it must not. */
  onMissingWalls?: (missing: readonly string[]) => void
}

/** A long list is requested page by page. */
const LIST_TIMEOUT_SECONDS = 120

const read = inReader<typeof import('./read-answer.ts')>(new URL('./read-answer.ts', import.meta.url))

/** Resolves and lists pages and manifests with yt-dlp. A live source is not an error here: the result has `isLive`. */
export const createExtractor = ({
  python,
  socketFolder = tmpdir(),
  timeoutSeconds = 90,
  onMissingWalls,
}: ExtractorOptions) => {
  const warm = createWarmProcess({ python, socketFolder, onMissingWalls })
  /** Requests an answer of a fork, and reads it. */
  const ask = async <T>(
    asked: { url: string; limit?: number; timeoutSeconds?: number },
    egress: Egress,
    signal: AbortSignal,
    readAnswer: (answer: Uint8Array) => Promise<T>,
  ): Promise<T> => {
    const failedBefore = egress.lastProxyFailure
    const request = { timeoutSeconds, ...asked, proxySocket: await egress.proxySocket() }
    // Extraction changes nothing at the source, so it is safe to retry once after a crash.
    const answer = await warm.send(request, signal).catch((error) => {
      if (error instanceof WarmProcessDied) return warm.send(request, signal)
      throw error
    })
    return await readAnswer(answer).catch((error) => {
      // yt-dlp saw a 502, and says of it whatever its extractor for this site says.
      const failure = egress.lastProxyFailure
      throw failure !== failedBefore && failure && error instanceof SourceFailure ? failure : error
    })
  }
  const extractor: Extractor & Lister = {
    extract: async (url, egress, signal) => {
      const source = await ask({ url }, egress, signal, (answer) => read('readAnswer', [answer, url], signal))
      if (source === 'playlist') throw new UrlIsPlaylist()
      return source
    },
    list: (url, limit, egress, signal) =>
      ask({ url, limit, timeoutSeconds: LIST_TIMEOUT_SECONDS }, egress, signal, (answer) =>
        read('readList', [answer, limit], signal),
      ),
  }
  return { ...extractor, ready: warm.ready, missingWalls: warm.missingWalls, close: warm.close }
}
