import type { Egress } from '../egress/egress.ts'
import { SourceFailure } from './failure.ts'
import { fileNameOf, nameInUrl, stemOf } from './filename.ts'
import { type Kind, sniff } from './sniff.ts'
import { type Answer, ask, Refused } from './transfer/answer.ts'
import { createRetrying, Interrupted, type Patience, usualPatience } from './transfer/patience.ts'
import type { Resource, Way } from './transfer/stream.ts'

/** A URL after its first answer: what it is, and the answer itself, so that nothing is asked twice. */
export interface Opened {
  /** After redirects. */
  url: string
  kind: Kind
  title: string
  /** From Content-Disposition. */
  filename: string | null
  /** As the origin says; `kind` is what the bytes say. */
  contentType: string | null
  sizeBytes: number | null
  /** The first bytes, as far as the first answer brings so many, without taking them from it; null once it is taken. */
  head(bytes: number): Promise<Uint8Array | null>
  /** The first answer, for the one who comes first. */
  take(): Answer | null
  /** Closes the connection of an answer that nobody wants. */
  discard(): void
}

/** A small file arrives whole with the first answer; of a large one, enough to start with. */
export const firstBytes = 1_048_576
const sniffedBytes = 4_096
/** Somebody may be waiting for the answer. */
const openingAttempts = 3

/** Finds out what a URL is with one request. Nobody's word is taken for it but the bytes'. */
export async function openDirect(
  url: string,
  egress: Egress,
  signal: AbortSignal,
  { headers = {}, patience = usualPatience }: { headers?: Record<string, string>; patience?: Patience } = {},
): Promise<Opened> {
  const way = { egress, signal, patience }
  const { head, ...opened } = await firstWithHead({ url, headers }, way)
  let answer: Answer | null = opened.answer
  const filename = fileNameOf(answer.headers.get('content-disposition'))
  return {
    url: answer.url,
    kind: sniff(head),
    title: stemOf(filename ?? nameInUrl(answer.url)),
    filename,
    contentType: answer.headers.get('content-type'),
    sizeBytes: answer.totalBytes,
    async head(bytes) {
      const head = answer && (await headOf(answer, bytes))
      if (head) answer?.unread(head)
      return head
    },
    take() {
      const taken = answer
      answer = null
      return taken
    },
    discard: () => answer?.discard(),
  }
}

type Address = Pick<Resource, 'url' | 'headers'>

/** A busy origin is asked again. One that cannot be reached is not: that is the answer. */
async function firstWithHead(address: Address, way: Way): Promise<{ answer: Answer; head: Uint8Array }> {
  const attempts = Math.min(way.patience.attempts, openingAttempts)
  const retry = createRetrying({ ...way.patience, attempts }, way.signal)
  for (;;) {
    try {
      const answer = await firstAnswer(address, way)
      const head = await headOf(answer, sniffedBytes)
      answer.unread(head)
      return { answer, head }
    } catch (error) {
      const mayPass = error instanceof Interrupted && !(error.cause instanceof SourceFailure)
      if (!mayPass) throw error
      await retry(error, 0)
    }
  }
}

/** With the first bytes of a file, or all of them where they come at once. */
export async function firstAnswer(address: Address, { egress, signal, patience }: Way): Promise<Answer> {
  const whole = { ...address, start: 0, end: null }
  const answer = await ask({ ...whole, end: firstBytes }, egress, signal, patience.idleMs).catch((error) => {
    // An empty file has no range at all (416).
    if (error instanceof Refused && error.status === 416) return null
    throw error
  })
  const isUsable = answer && answer.start === 0 && !(answer.isRange && answer.totalBytes === null)
  if (isUsable) return answer
  answer?.discard()
  return await ask(whole, egress, signal, patience.idleMs)
}

/** The first bytes, in one piece, as far as they come. */
async function headOf(answer: Answer, wanted: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  while (size < wanted) {
    const bytes = await answer.read()
    if (!bytes) break
    pieces.push(bytes)
    size += bytes.length
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}
