import { compare } from '@renovatebot/pep440'
import type { FailureCode } from '../../../../domain/codes/failures.ts'
import type { ExtractorState, Sites } from '../../../../domain/protocol/protocol.ts'
import { SourceFailure, UrlIsPlaylist } from '../../../failures.ts'
import { errorFields, type Log } from '../../../log.ts'
import { createExtractor, type ExtractorSession, type WarmExtractor } from '../extractor.ts'
import { WarmProcessDied } from '../warm-process.ts'
import { type Counts, countEnd, failsTwiceAsOften } from './comparison.ts'
import { prove } from './proof.ts'
import type { Release, Releases } from './releases.ts'

/**
 * Which version of yt-dlp jobs get. It starts with the one that the container was built with. A newer one of its channel is
 * unpacked into a folder of its own, proven, and taken between two jobs: a session keeps the version that it began with.
 * When a version fails twice as often as the one before it, in the same hosts, the one before comes back.
 */
export type Extractors = ReturnType<typeof createExtractors>

/** One version that sessions have, had, or may have again. */
interface Used {
  extractor: WarmExtractor
  /** null: the version that the container was built with. */
  release: Release | null
  counts: Map<string, Counts>
  sessions: number
}

interface ExtractorsOptions {
  python: string
  socketFolder: string
  onMissingWalls?: (missing: readonly string[]) => void
  channel: string
  /** null: no other version is looked for. */
  releases: Pick<Releases, 'newest' | 'install' | 'remove'> | null
  checkMs: number
  log: Log
}

/** After the start of the container, which has more urgent work. */
const FIRST_CHECK_MS = 5_000
/** Not all engines at once. */
const FIRST_CHECK_JITTER_MS = 10_000
/** An interval is shorter by up to this share. */
const JITTER = 0.25

export const createExtractors = ({ channel, releases, checkMs, log, ...options }: ExtractorsOptions) => {
  const { python, socketFolder, onMissingWalls } = options
  const open = (release: Release | null): Used => ({
    extractor: createExtractor({
      python,
      socketFolder,
      ...(release && { release }),
      ...(onMissingWalls && { onMissingWalls }),
    }),
    ...{ release, counts: new Map(), sessions: 0 },
  })
  const stopped = new AbortController()
  /** Versions that were not proven, or that failed too often, each with the reason. */
  const refused = new Map<string, string>()
  let current = open(null)
  /** What the current version replaced, to go back to. Its process ends with its last session. */
  let before: Pick<Used, 'release' | 'counts'> | null = null
  /** All that have a process. */
  const running = new Set<Used>([current])
  const installed = new Set<Release>()
  let isGoingBack = false
  let problem: string | null = null
  let currentVersion: string | null = null
  let timer: NodeJS.Timeout | undefined
  /** One change after the other. */
  let changing: Promise<void> = Promise.resolve()

  const ready = async (): Promise<void> => {
    const used = current
    await used.extractor.ready()
    const version = await used.extractor.version()
    if (used === current) currentVersion = version
  }

  /** Ends processes that nobody uses, and removes folders that nothing will use again. */
  const tidyUp = async (): Promise<void> => {
    const unused = [...running].filter((used) => used !== current && used.sessions === 0)
    for (const used of unused) running.delete(used)
    await Promise.all(unused.map(({ extractor }) => extractor.close()))
    const needed = new Set([before?.release, ...[...running].map(({ release }) => release)])
    for (const release of [...installed].filter((each) => !needed.has(each))) {
      installed.delete(release)
      await releases?.remove(release)
    }
  }

  const change = async (next: Used, replaced: typeof before): Promise<void> => {
    const version = await next.extractor.version()
    running.add(next)
    current = next
    before = replaced
    currentVersion = version
    await tidyUp()
  }

  const take = async (from: NonNullable<typeof releases>): Promise<void> => {
    const wheel = await from.newest(channel, stopped.signal)
    const version = await current.extractor.version()
    problem = wheel
      ? (refused.get(wheel.version) ?? null)
      : `The package index has no yt-dlp ${channel} for this Python.`
    if (!wheel || problem !== null || !isWanted(wheel.version, version)) return
    const startedAt = performance.now()
    const release = await from.install(wheel, stopped.signal)
    installed.add(release)
    const next = open(release)
    try {
      await next.extractor.ready()
      await prove(next.extractor, socketFolder, stopped.signal)
    } catch (error) {
      await next.extractor.close()
      stopped.signal.throwIfAborted()
      problem = `yt-dlp ${wheel.version} was refused: ${reasonOf(error)}. ${version} is used.`
      refused.set(wheel.version, problem)
      log('yt-dlp refused', { version: wheel.version, ...errorFields(error) })
      return await tidyUp()
    }
    await change(next, { release: current.release, counts: current.counts })
    log('yt-dlp changed', { version: wheel.version, from: version, ms: Math.round(performance.now() - startedAt) })
  }

  /** A named version may be an older one. */
  const isWanted = (version: string, used: string): boolean =>
    ['stable', 'nightly'].includes(channel) ? compare(version, used) > 0 : compare(version, used) !== 0

  const goBack = async (): Promise<void> => {
    if (!before || !failsTwiceAsOften(before.counts, current.counts)) return
    const [failing, target] = [current, before]
    const next = open(target.release)
    await next.extractor.ready()
    const [from, version] = [await failing.extractor.version(), await next.extractor.version()]
    for (const [host, counts] of target.counts) next.counts.set(host, counts)
    problem = `yt-dlp ${from} failed twice as often as ${version} in the same hosts. ${version} is used.`
    refused.set(from, problem)
    await change(next, null)
    log('yt-dlp went back', { version, from })
  }

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    changing = changing.then(work).catch((error) => {
      if (stopped.signal.aborted) return
      problem = `yt-dlp was not renewed: ${reasonOf(error)}`
      log('yt-dlp not renewed', errorFields(error))
    })
    return changing
  }

  const noteEnd = (used: Used, url: string, error: unknown): void => {
    const host = URL.parse(url)?.hostname
    const code = codeOf(error)
    if (!host || code === undefined) return
    countEnd(used.counts, host, code)
    if (used !== current || isGoingBack || !before || !failsTwiceAsOften(before.counts, used.counts)) return
    isGoingBack = true
    void inTurn(goBack).finally(() => {
      isGoingBack = false
    })
  }

  const session = (): ExtractorSession => {
    const used = current
    used.sessions += 1
    const own = used.extractor.session()
    const noted = async <T>(url: string, work: Promise<T>): Promise<T> => {
      try {
        const result = await work
        noteEnd(used, url, null)
        return result
      } catch (error) {
        noteEnd(used, url, error)
        throw error
      }
    }
    let isOpen = true
    return {
      extract: (url, ...rest) => noted(url, own.extract(url, ...rest)),
      list: (url, ...rest) => noted(url, own.list(url, ...rest)),
      get readBy() {
        return own.readBy
      },
      close: () => {
        if (isOpen) used.sessions -= 1
        isOpen = false
        if (used !== current) void inTurn(tidyUp)
      },
    }
  }

  /** Looks for a newer version of the channel, and takes it. */
  const check = async (): Promise<void> => {
    if (releases && !stopped.signal.aborted) await inTurn(() => take(releases))
  }
  const checkAfter = (delayMs: number): void => {
    if (stopped.signal.aborted) return
    timer = setTimeout(
      () => void check().then(() => checkAfter(checkMs * (1 - JITTER * Math.random()))),
      delayMs,
    ).unref()
  }

  return {
    session,
    ready,
    check,
    /** Checks from now on, every `checkMs`. */
    start: (): void => {
      if (releases) checkAfter(FIRST_CHECK_MS + FIRST_CHECK_JITTER_MS * Math.random())
    },
    sites: (signal: AbortSignal): Promise<Sites> => current.extractor.sites(signal),
    get state(): ExtractorState {
      return { version: currentVersion, channel, problem }
    },
    close: async (): Promise<void> => {
      stopped.abort()
      clearTimeout(timer)
      await changing
      await Promise.all([...running].map(({ extractor }) => extractor.close()))
    },
  }
}

/** null: something was found. undefined: it says nothing of yt-dlp. */
const codeOf = (error: unknown): FailureCode | null | undefined => {
  if (error === null || error instanceof UrlIsPlaylist) return null
  if (error instanceof WarmProcessDied) return 'INTERNAL'
  return error instanceof SourceFailure ? error.code : undefined
}

/** The last line of what Python wrote, where it is known. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return (typeof cause === 'string' && cause.trim().split('\n').at(-1)) || message
}
