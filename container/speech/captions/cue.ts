/** One caption as its file says it, in seconds. Lines stay apart until the rolling ones are gone. */
export interface Cue {
  start: number
  end: number
  text: string
  speaker?: string
}

/** Two hours of karaoke are below both; what is above was made to hurt. */
export const maxBytes = 10_000_000
export const maxCues = 100_000

export class CaptionsTooLarge extends Error {}

/** Takes cues until there are too many of them. A part would be sold as the whole: rather none. */
export const collect = (cues: Iterable<Cue>): Cue[] => {
  const taken: Cue[] = []
  for (const cue of cues) {
    if (taken.length === maxCues) throw new CaptionsTooLarge(`more than ${maxCues} cues`)
    taken.push(cue)
  }
  return taken
}
