import { lanes } from '../../../domain/lanes.ts'
import type { LimitedEgress } from '../../egress/allowance.ts'
import { SourceFailure } from '../../failures.ts'
import { download } from '../download.ts'
import type { FileTransport } from '../source.ts'
import { type Identity, stream, WithoutRanges } from '../transfer/stream.ts'
import type { Budget, FileRange } from './file-ranges.ts'
import type { Answer, FilePart, KnownBytes } from './sparse-file.ts'

export type RemoteFile = ReturnType<typeof openRemoteFile>

/** A file of which only some bytes have been read, and as many more may be as its budget says. */
export type PartlyKnownFile = Pick<RemoteFile, 'known' | 'budget' | 'fetch' | 'canFetchAll' | 'fetchAll'>

/** A line of a film's subtitles takes a request, two in Matroska. Most films have fewer than 2,000. */
const maxRequests = 4_000
const connections = 4
/** Fewer than for media: the caller is waiting. */
const attempts = 3

/** A media file at its origin, of which ranges are fetched into memory: no more than the egress allows. */
export const openRemoteFile = (
  rendition: { transport: FileTransport },
  { sizeBytes, parts: fetched }: KnownBytes,
  egress: LimitedEgress,
  signal: AbortSignal,
  knownIdentity?: Identity,
) => {
  const { url, headers, opened } = rendition.transport
  const retryPolicy = { attempts }
  let parts: FilePart[] = [...fetched]
  let leftRequests = maxRequests
  let isComplete = false
  let identity = knownIdentity

  const fetchOne = async ({ start, end }: FileRange, rangeSignal: AbortSignal) => {
    leftRequests--
    const chunks: Uint8Array[] = []
    const put = async (bytes: Uint8Array) => void chunks.push(bytes)
    const onIdentity = (response: Identity) => {
      if (sizeBytes !== null && response.totalBytes !== sizeBytes) throw changed()
      identity ??= response
    }
    const context = { egress, signal: rangeSignal, retryPolicy }
    await stream({ url, headers, start, end }, put, context, { onIdentity, identity })
    parts.push({ start, bytes: Buffer.concat(chunks) })
  }

  return {
    get known(): KnownBytes {
      return { sizeBytes: isComplete ? endOf(parts) : sizeBytes, parts }
    },
    get budget(): Budget {
      return { bytes: egress.leftBytes, requests: leftRequests }
    },
    /** Throws WithoutRanges if the origin does not serve ranges. */
    fetch: (ranges: FileRange[]) => lanes(connections, ranges, fetchOne, signal),
    /** False if the file is known to be larger than what is left, or all of it is known. */
    get canFetchAll() {
      if (isComplete) return false
      // The first response is read again from its start, without another request.
      const readBytes = opened ? (fetched[0]?.bytes.length ?? 0) : 0
      return (sizeBytes ?? 0) - readBytes <= egress.leftBytes
    },
    fetchAll: async (): Promise<void> => {
      const all: FilePart[] = []
      const sink = {
        announce: () => {},
        write: async (bytes: Uint8Array, start: number) => void all.push({ start, bytes }),
      }
      await download(rendition, sink, { egress, signal, retryPolicy })
      parts = all
      isComplete = true
    },
  }
}

const endOf = (parts: FilePart[]): number => Math.max(0, ...parts.map(({ start, bytes }) => start + bytes.length))

const changed = () => new SourceFailure('SOURCE_TRUNCATED', 'The source changed while it was read.')

/** Asks the reader process, fetches what is missing, and asks again: the bytes that are known are sent each time. */
export const askByRanges = async <T>(
  file: PartlyKnownFile,
  maxRounds: number,
  ask: () => Promise<Answer<T>>,
): Promise<Exclude<Answer<T>, { fetch: unknown }>> => {
  for (let round = 1; ; round++) {
    const answer = await ask()
    if (!('fetch' in answer)) return answer
    if (round === maxRounds) return { outOfReach: 'too many steps' }
    try {
      await file.fetch(answer.fetch)
    } catch (error) {
      if (error instanceof WithoutRanges) return { outOfReach: 'the origin does not serve ranges' }
      throw error
    }
  }
}
