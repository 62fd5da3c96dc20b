import { z } from 'zod'
import { Sites } from '../../../domain/protocol/protocol.ts'
import type { Egress } from '../../egress/egress.ts'
import { defaultSocketFolder } from '../../egress/proxy.ts'
import { SourceFailure, UrlIsPlaylist } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import type { Lister } from '../list/list-source.ts'
import type { Extractor } from '../resolve.ts'
import { createWarmProcess, type WarmProcessSettings } from './warm-process.ts'

/** One version of yt-dlp. */
export type WarmExtractor = ReturnType<typeof createExtractor>

interface ExtractorOptions extends Pick<WarmProcessSettings, 'python' | 'onMissingWalls'> {
  /** Another version of yt-dlp than that of the venv. */
  release?: { folder: string; version: string } | undefined
  /** That of the egresses whose proxies it uses. Its forks cannot read it. */
  socketFolder?: string
  /** Limit for one request. The caller's signal may end it earlier. */
  timeoutSeconds?: number
}

/** A long list is requested page by page. */
const LIST_TIMEOUT_SECONDS = 120
/** For what it says of itself. */
const QUESTION_TIMEOUT_SECONDS = 30
const SitesAnswer = Sites.pick({ sites: true })
const ScriptsAnswer = z.object({ problem: z.string().nullable() })

const answerReader = inReader<typeof import('./read-answer.ts')>(new URL('./read-answer.ts', import.meta.url))

/** Resolves and lists pages and manifests with yt-dlp. A live source is not an error here: the result has `isLive`. */
export const createExtractor = ({ release, timeoutSeconds = 90, ...settings }: ExtractorOptions) => {
  const warm = createWarmProcess({ socketFolder: defaultSocketFolder, ...settings, packages: release?.folder })
  /** As the index names it; yt-dlp itself writes 2026.03.05 for 2026.3.5. */
  const version = async () => release?.version ?? (await warm.version()).replace(/\.0+(?=\d)/g, '.')
  const ask = async <T>(
    asked: { url: string; limit?: number; timeoutSeconds?: number },
    egress: Egress,
    signal: AbortSignal,
    readAnswer: (answer: Uint8Array) => Promise<T>,
  ): Promise<T> => {
    const { tokenHost, lastProxyFailure: failedBefore } = egress
    const { asBrowser } = egress.access
    const request = { timeoutSeconds, ...asked, proxySocket: await egress.proxySocket(), asBrowser, tokenHost }
    const answer = await warm.send(request, signal)
    return await readAnswer(answer).catch((error) => {
      // yt-dlp saw a 502, and says of it whatever its extractor for this site says.
      const failure = egress.lastProxyFailure
      throw failure !== failedBefore && failure && error instanceof SourceFailure ? failure : error
    })
  }
  const extract: Extractor['extract'] = async (url, egress, signal) => {
    const source = await ask({ url }, egress, signal, (answer) =>
      answerReader('readAnswer', [answer, url, Date.now()], signal),
    )
    if (source === 'playlist') throw new UrlIsPlaylist()
    return source
  }
  const list: Lister['list'] = (url, limit, egress, signal) =>
    ask({ url, limit, timeoutSeconds: LIST_TIMEOUT_SECONDS }, egress, signal, (answer) =>
      answerReader('readList', [answer, limit], signal),
    )
  const question = async <T>(about: 'sites' | 'scripts', Answer: z.ZodType<T>, signal: AbortSignal): Promise<T> => {
    const answer = await warm.send({ ask: about, timeoutSeconds: QUESTION_TIMEOUT_SECONDS }, signal)
    return Answer.parse(JSON.parse(new TextDecoder().decode(answer)))
  }
  const { ready, missingWalls, close } = warm
  return {
    extract,
    list,
    version,
    ready,
    missingWalls,
    close,
    sites: async (signal: AbortSignal): Promise<Sites> => ({
      version: await version(),
      ...(await question('sites', SitesAnswer, signal)),
    }),
    /** Why the scripts that YouTube's player needs solved do not run. null: they do. */
    scriptProblem: async (signal: AbortSignal) => (await question('scripts', ScriptsAnswer, signal)).problem,
  }
}
