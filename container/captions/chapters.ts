import { z } from 'zod'
import type { Chapter } from '../../domain/protocol/protocol.ts'
import { decodeText } from './cue.ts'

/** JSON chapters of podcasts (application/json+chapters). Further fields are ignored. */
const Chapters = z.object({
  chapters: z.array(
    z.object({
      startTime: z.coerce.number().nonnegative(),
      endTime: z.coerce.number().optional().catch(undefined),
      title: z.string().optional().catch(undefined),
      /** false: not for a table of contents, such as a change of the picture. */
      toc: z.boolean().optional().catch(undefined),
    }),
  ),
})

/** Called in the reader process. `durationSeconds`: where the last chapter ends, if nothing else says it. */
export const readChapters = (bytes: Uint8Array, durationSeconds: number | null): Chapter[] => {
  const listed = Chapters.parse(JSON.parse(decodeText(bytes))).chapters.filter(({ toc }) => toc !== false)
  const ordered = listed.toSorted((one, other) => one.startTime - other.startTime)
  return ordered.map(({ title = '', startTime, endTime }, index) => {
    const end = endTime ?? ordered[index + 1]?.startTime ?? durationSeconds ?? startTime
    return { title, startSeconds: startTime, endSeconds: Math.max(startTime, end) }
  })
}
