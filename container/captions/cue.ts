import { SourceFailure } from '../failures.ts'

/** One caption as its file has it, times in seconds. Lines stay separate until rolling captions are unrolled. */
export interface Cue {
  start: number
  end: number
  text: string
  speaker?: string
}

/** Two hours of karaoke fit both limits. A larger file is an attack. */
export const maxCaptionBytes = 10_000_000
export const maxCues = 100_000
/** About ten minutes of speech. */
export const maxCueCharacters = 10_000

/** Longer names of speakers are left out, or cut. */
export const maxNameCharacters = 100

export class CaptionsTooLarge extends SourceFailure {
  constructor(limit: string) {
    super('SOURCE_UNSUPPORTED', `The captions of the source are too large: ${limit}.`)
  }
}

/** Throws above the limit instead of truncating: a partial transcript must not be sold as a complete one. */
export const collectCues = (cues: Iterable<Cue>): Cue[] => {
  const collected: Cue[] = []
  for (const cue of cues) {
    if (collected.length === maxCues) throw new CaptionsTooLarge(`more than ${maxCues} cues`)
    if (cue.text.length > maxCueCharacters)
      throw new CaptionsTooLarge(`a cue of more than ${maxCueCharacters} characters`)
    collected.push(cue)
  }
  return collected
}

export const moved = <Timed extends { start: number; end: number }>(timed: Timed, seconds: number): Timed => ({
  ...timed,
  start: timed.start + seconds,
  end: timed.end + seconds,
})

/** UTF-8, else UTF-16 by its byte order mark, else Windows-1252, which many old SubRip files use. */
export const decodeText = (bytes: Uint8Array): string => {
  if (bytes.byteLength > maxCaptionBytes) throw new CaptionsTooLarge(`more than ${maxCaptionBytes} bytes`)
  const utf16 = utf16Encoding(bytes)
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const utf16Encoding = (bytes: Uint8Array) => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}
