import type { Chapter, Clip, StoredSource } from '../../domain/protocol/protocol.ts'
import type { Source } from '../source/source.ts'
import { shortened } from '../source/source.ts'

/** The account stores them with the job. */
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
    .map(withTitle)
    .filter((chapter) => isIn(chapter, clip)),
})

const isIn = ({ startSeconds, endSeconds }: Chapter, clip: Clip | undefined): boolean =>
  !clip || (startSeconds < (clip.endSeconds ?? Number.POSITIVE_INFINITY) && endSeconds > (clip.startSeconds ?? 0))

const withTitle = ({ title, ...times }: Chapter, index: number): Chapter => ({
  title: shortened(title, MAX_CHARACTERS) || `Chapter ${index + 1}`,
  ...times,
})
