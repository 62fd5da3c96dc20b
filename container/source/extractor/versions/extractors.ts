import { setTimeout as sleep } from 'node:timers/promises'
import { compare } from '@renovatebot/pep440'
import type { ExtractorState, ReadBy, Sites } from '../../../../domain/protocol/protocol.ts'
import { errorFields, type Log } from '../../../log.ts'
import type { Lister } from '../../list/list-source.ts'
import type { Extractor } from '../../resolve.ts'
import { createExtractor, type WarmExtractor } from '../extractor.ts'
import { prove } from './proof.ts'
import type { createReleases, Release } from './releases.ts'

/** yt-dlp for one step, or one look-up: its version does not change. Close it exactly once. */
export interface ExtractorSession {
  /** For one try of the step. */
  tracked(): TrackedExtractor
  close(): void
}

export interface TrackedExtractor extends Extractor, Lister {
  /** The last that has read a page, or tried to. null: nothing was asked of it. */
  readonly readBy: ReadBy | null
}

interface ExtractorsOptions {
  python: string
  socketFolder: string
  onMissingWalls?: (missing: readonly string[]) => void
  channel: string
  /** null: no other version is looked for. */
  releases: ReturnType<typeof createReleases> | null
  checkMs: number
  log: Log
}

/** The start of the container is more urgent, and not all engines check at once. */
const FIRST_CHECK_MS = { least: 5_000, jitter: 10_000 }
/** An interval is shorter by up to this share. */
const JITTER = 0.25

/**
 * Jobs start with the version of yt-dlp that the container was built with. A newer version of the channel is installed in
 * its own folder, proven, and used by new sessions: a session keeps the version that it began with. A version that fails its
 * proof is tried again at the next check.
 */
export const createExtractors = ({ channel, releases, checkMs, log, ...options }: ExtractorsOptions) => {
  /** Without a release: the version that the container was built with. */
  const open = (release?: Release) => ({
    extractor: createExtractor({ ...options, release }),
    release,
    sessions: 0,
    version: null as string | null,
  })
  const stopped = new AbortController()
  let current = open()
  /** All that have a process. */
  const running = new Set([current])
  let problem: string | null = null
  /** One change after the other. */
  let changing: Promise<void> = Promise.resolve()

  const ready = async (): Promise<void> => {
    const used = current
    await used.extractor.ready()
    used.version = await used.extractor.version()
  }

  /** Ends the processes of what nobody uses, and removes its folders. */
  const tidyUp = async (): Promise<void> => {
    for (const used of running) {
      if (used === current || used.sessions > 0) continue
      running.delete(used)
      await used.extractor.close()
      if (used.release) await releases?.remove(used.release)
    }
  }

  const take = async (from: NonNullable<typeof releases>): Promise<void> => {
    const wheel = await from.newest(channel, stopped.signal)
    const version = await current.extractor.version()
    if (!wheel || !isWanted(wheel.version, version)) {
      problem = wheel ? null : `The package index has no yt-dlp ${channel} for this Python.`
      return
    }
    const startedAt = performance.now()
    const release = await from.install(wheel, stopped.signal)
    const next = open(release)
    running.add(next)
    try {
      await next.extractor.ready()
      await prove(next.extractor, options.socketFolder, stopped.signal)
      next.version = await next.extractor.version()
    } catch (error) {
      await tidyUp()
      stopped.signal.throwIfAborted()
      problem = `yt-dlp ${wheel.version} was refused: ${reasonOf(error)}. ${version} is used.`
      log('yt-dlp refused', { version: wheel.version, ...errorFields(error) })
      return
    }
    problem = null
    current = next
    await tidyUp()
    log('yt-dlp changed', { version: wheel.version, from: version, ms: Math.round(performance.now() - startedAt) })
  }

  /** A named version may be an older one. */
  const isWanted = (version: string, used: string): boolean =>
    ['stable', 'nightly'].includes(channel) ? compare(version, used) > 0 : compare(version, used) !== 0

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    changing = changing.then(work).catch((error) => {
      if (stopped.signal.aborted) return
      problem = `yt-dlp was not renewed: ${reasonOf(error)}`
      log('yt-dlp not renewed', errorFields(error))
    })
    return changing
  }

  const check = async (): Promise<void> => {
    if (releases && !stopped.signal.aborted) await inTurn(() => take(releases))
  }
  const checkForEver = async (): Promise<void> => {
    const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal, ref: false })
    await pause(FIRST_CHECK_MS.least + FIRST_CHECK_MS.jitter * Math.random())
    for (;;) {
      await check()
      await pause(checkMs * (1 - JITTER * Math.random()))
    }
  }

  return {
    session: (): ExtractorSession => {
      const used = current
      used.sessions += 1
      return {
        tracked: () => trackedExtractor(used.extractor),
        close: () => {
          used.sessions -= 1
          if (used !== current) void inTurn(tidyUp)
        },
      }
    },
    ready,
    check,
    /** Checks from now on, every `checkMs`. */
    start: (): void => {
      // It ends with `close`.
      if (releases) checkForEver().catch(() => {})
    },
    sites: (signal: AbortSignal): Promise<Sites> => current.extractor.sites(signal),
    get state(): ExtractorState {
      return { version: current.version, channel, problem }
    },
    close: async (): Promise<void> => {
      stopped.abort()
      await changing
      await Promise.all([...running].map(({ extractor }) => extractor.close()))
    },
  }
}

export const trackedExtractor = ({ extract, list, version }: WarmExtractor): TrackedExtractor => {
  let readBy: ReadBy | null = null
  const begin = async (): Promise<ReadBy> => {
    readBy = { extractor: null, extractorVersion: await version() }
    return readBy
  }
  return {
    extract: async (...args) => {
      const begun = await begin()
      const source = await extract(...args)
      readBy = { ...begun, extractor: source.extractor }
      return source
    },
    list: async (...args) => {
      await begin()
      return await list(...args)
    },
    get readBy() {
      return readBy
    },
  }
}

/** The last line of what Python wrote, where it is known. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return (typeof cause === 'string' && cause.trim().split('\n').at(-1)) || message
}
