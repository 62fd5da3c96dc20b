import type { Step } from '../jobs/transcript.ts'
import type { JobEnd, JobTotals } from './job-totals.ts'

export interface EndedJob extends JobEnd {
  jobId: string
  /** Among all ended jobs of its account, so that it is counted once however often it is reported. */
  number: number
  host: string
  seconds: Partial<Record<Step, number>>
  /** The rest of the time between its start and its end. */
  waitedSeconds: number
  bytesIn: number
  bytesOut: number
  costMicros: number
  requestId: string | null
  /** Of the yt-dlp that has read the source. Empty: none was needed, or it is not known. */
  version: string
}

/** An account says what it has counted. Reports may be repeated, or arrive late. */
export interface AccountReport {
  accountId: string
  totals: JobTotals
  heldMicros: number
  /** An account that has not reported since then is woken. null: it has nothing to do. */
  wakeAt: number | null
  schemaVersion: number
  ended: EndedJob | null
}

/** What an account holds while a job runs, between its reports. */
export interface HeldNote extends Pick<AccountReport, 'accountId' | 'heldMicros'> {
  /** As in the totals: a note that comes late tells nothing. */
  version: number
}

/** Which ends of an account were counted: all up to a number, and a few beyond it that arrived early. */
export interface CountedEnds {
  upTo: number
  beyond: number[]
}

/** More than an account can have open. If ends before the first report were lost, they are not waited for any longer. */
const MAX_BEYOND = 100

/** null: the end was counted before. */
export const countEnd = ({ upTo, beyond }: CountedEnds, number: number): CountedEnds | null => {
  if (number <= upTo || beyond.includes(number)) return null
  const waiting = [...beyond, number].sort((a, b) => a - b)
  let last = upTo
  while (waiting[0] === last + 1 || waiting.length > MAX_BEYOND) last = waiting.shift() ?? last
  return { upTo: last, beyond: waiting }
}

/** Longer than a host name can be. */
const MAX_HOST_LENGTH = 253

/** In lower case, without a port and without a dot at the end: what an operator calls a source or a receiver. */
export const hostOf = (url: string): string =>
  (URL.parse(url)?.hostname ?? '').toLowerCase().replace(/\.$/, '').slice(0, MAX_HOST_LENGTH)
