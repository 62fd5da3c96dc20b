import { z } from 'zod'

/** What an engine says of a model whose weights it has. */
export const SpeechModel = z.object({
  name: z.string(),
  isDefault: z.boolean(),
  /** Base codes, as in results: `en`, `zh`. */
  languages: z.union([z.literal('all'), z.array(z.string())]),
  /** Whether it says when each word is heard. Speakers need that too. */
  words: z.boolean(),
  vocabulary: z.boolean(),
  /** Into English. */
  translation: z.boolean(),
  /** Seconds of the recording that it has heard in a second, here. null: it has heard none yet. */
  speed: z.number().positive().nullable(),
})
export type SpeechModel = z.infer<typeof SpeechModel>
