import type { Chapter, Clip, LinkedFiles, StoredSource } from '../../domain/protocol/protocol.ts'
import { withLinkedLimits } from '../captions/tracks.ts'
import { SourceFailure } from '../failures.ts'
import { inReader } from '../sandbox/reader.ts'
import type { Source } from '../source/source.ts'
import { shortened } from '../source/source.ts'
import { fetchSmallFile } from '../source/transfer/segments.ts'
import type { StepContext } from './step.ts'

const read = inReader<typeof import('../captions/chapters.ts')>(new URL('../captions/chapters.ts', import.meta.url))

const MAX_BYTES = 1_000_000
const ATTEMPTS = 2

export const chaptersOf = async (
  linked: LinkedFiles | undefined,
  { chapters }: Pick<Source, 'chapters'>,
  durationSeconds: number | null,
  { signal, log, egress }: StepContext,
): Promise<Chapter[]> => {
  if (!linked?.chapters) return chapters
  try {
    const limited = withLinkedLimits({ egress, signal })
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

const MAX_CHAPTERS = 500
const MAX_CHARACTERS = 200

/**
 * As the page has them, else as the file has them. A direct file is named after its URL, so its own title says more. A
 * file in our storage has the title of its import, or the name that its owner gave to it.
 */
export const titleAndChapters = (
  { stored, clip }: { stored?: StoredSource | undefined; clip?: Clip | undefined },
  { title, chapters, direct }: Pick<Source, 'title' | 'chapters' | 'direct'>,
  file: { title: string | null; chapters: Chapter[] } | null,
): { title: string; chapters: Chapter[] } => ({
  title: (direct && !stored && file?.title) || title,
  chapters: (chapters.length > 0 ? chapters : (file?.chapters ?? []))
    .slice(0, MAX_CHAPTERS)
    .map((chapter, index) => ({
      ...chapter,
      title: shortened(chapter.title, MAX_CHARACTERS) || `Chapter ${index + 1}`,
    }))
    .filter((chapter) => isIn(chapter, clip)),
})

const isIn = ({ startSeconds, endSeconds }: Chapter, clip: Clip | undefined): boolean =>
  !clip || (startSeconds < (clip.endSeconds ?? Number.POSITIVE_INFINITY) && endSeconds > (clip.startSeconds ?? 0))
