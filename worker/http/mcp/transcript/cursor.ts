import { z } from 'zod'
import { fromBase64Url, toBase64Url, utf8 } from '../../../../domain/encoding.ts'

/** Where an answer of read_transcript ended, and what it was asked for. */
const Place = z.union([
  z.strictObject({
    segment: z.number().int().min(0),
    character: z.number().int().min(0),
    /** null: to the end of the media. */
    endSeconds: z.number().nullable(),
  }),
  z.strictObject({ part: z.number().int().min(0), query: z.string(), needed: z.number().int().min(1) }),
])
export type Place = z.infer<typeof Place>

/** Opaque to callers, and only a place in a transcript that they may read anyway, so it is not signed. */
export const cursorAt = (place: Place): string => toBase64Url(utf8(JSON.stringify(place)))

/** null: not one of our cursors. */
export const placeOf = (cursor: string): Place | null => {
  try {
    return Place.safeParse(JSON.parse(new TextDecoder().decode(fromBase64Url(cursor) ?? utf8('')))).data ?? null
  } catch {
    return null
  }
}
