import type { Chapter, LinkedFiles } from '../../domain/protocol/protocol.ts'
import { withLinkedLimits } from '../captions/linked.ts'
import { SourceFailure } from '../failures.ts'
import { inReader } from '../sandbox/reader.ts'
import { fetchSmallFile } from '../source/transfer/segments.ts'
import type { StepContext } from './step.ts'

const read = inReader<typeof import('../captions/chapters.ts')>(new URL('../captions/chapters.ts', import.meta.url))

/** A chapter has a few hundred bytes. */
const MAX_BYTES = 1_000_000
const ATTEMPTS = 2

/** The chapters that a feed names. Without any, or if they cannot be read, those of the source. */
export const chaptersOf = async (
  linked: LinkedFiles | undefined,
  { chapters }: { chapters: Chapter[] },
  durationSeconds: number | null,
  { signal, log, ...rest }: Pick<StepContext, 'egress' | 'signal' | 'log'>,
): Promise<Chapter[]> => {
  if (!linked?.chapters) return chapters
  try {
    const limited = withLinkedLimits({ ...rest, signal })
    const context = { ...limited, retryPolicy: { attempts: ATTEMPTS } }
    const { bytes } = await fetchSmallFile({ url: linked.chapters, headers: {} }, context, MAX_BYTES)
    const found = await read('readChapters', [bytes, durationSeconds], limited.signal)
    return found.length > 0 ? found : chapters
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof SourceFailure)) throw error
    log('chapters not readable', { reason: error.message })
    return chapters
  }
}
