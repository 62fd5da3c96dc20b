import type { Chapter, LinkedFiles } from '../../domain/protocol/protocol.ts'
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
  { egress, signal, log }: Pick<StepContext, 'egress' | 'signal' | 'log'>,
): Promise<Chapter[]> => {
  if (!linked?.chapters) return chapters
  try {
    const context = { egress, signal, retryPolicy: { attempts: ATTEMPTS } }
    const { bytes } = await fetchSmallFile({ url: linked.chapters, headers: {} }, context, MAX_BYTES)
    const found = await read('readChapters', [bytes, durationSeconds], signal)
    return found.length > 0 ? found : chapters
  } catch (error) {
    signal.throwIfAborted()
    log('chapters not readable', { reason: (error as Error).message })
    return chapters
  }
}
