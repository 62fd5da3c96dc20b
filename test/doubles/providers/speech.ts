/** A sentence that the fakes recognize. Its times follow from its words, so tests can compute them. */
export interface Sentence {
  text: string
  start: number
  end: number
  /** null: the provider cannot tell who speaks. */
  speaker: number | null
  words: SpokenWord[]
}

export interface SpokenWord {
  text: string
  /** null: the provider returns no time for the word. */
  start: number | null
  end: number | null
  /** Missing: that of the sentence. */
  speaker?: number | null
}

/** The audio that a fake received. Tests tell pieces apart by their bytes. */
export interface AudioInput {
  bytes: Uint8Array
  language: string | null
}

export type Speech = Sentence[] | ((audio: AudioInput) => Sentence[])

const WORD_SECONDS = 0.25
const PAUSE_SECONDS = 0.5

/** Each word takes a quarter of a second, each sentence is followed by half a second of silence. */
export const speechOf = (...sentences: (string | { text: string; speaker: number })[]): Sentence[] => {
  let at = 0
  return sentences.map((sentence) => {
    const { text, speaker } = typeof sentence === 'string' ? { text: sentence, speaker: 0 } : sentence
    const words = text.split(' ').map((word, index) => ({
      text: word,
      start: at + index * WORD_SECONDS,
      end: at + (index + 1) * WORD_SECONDS,
    }))
    const start = at
    const end = at + words.length * WORD_SECONDS
    at = end + PAUSE_SECONDS
    return { text, start, end, speaker, words }
  })
}

export const defaultSpeech = speechOf(
  'Haul brings media from any address.',
  'Then it writes down every word.',
  'Nobody has to listen twice.',
)

/**
 * Two speakers whose words have every fault that providers' words have: one without times, one of no length, two in the
 * wrong order, one outside of its sentence, one that is in no sentence, one without a speaker.
 */
export const nastySpeech: Sentence[] = [
  {
    text: 'Well, who is there?',
    start: 0,
    end: 2,
    speaker: 1,
    words: [
      { text: 'Well,', start: 0.1, end: 0.4 },
      { text: 'who', start: null, end: null },
      { text: 'is', start: 1, end: 1, speaker: null },
      { text: 'there?', start: 1.2, end: 2.7 },
    ],
  },
  {
    text: 'It is only me.',
    start: 2.5,
    end: 4,
    speaker: 0,
    words: [
      { text: 'It', start: 2.5, end: 2.7 },
      { text: 'is', start: 3.4, end: 3.6 },
      { text: 'only', start: 2.9, end: 3.1 },
      { text: 'uh', start: 3.3, end: 3.5 },
      { text: 'me.', start: 3.6, end: 3.9 },
    ],
  },
]

export const sentencesIn = (speech: Speech, audio: AudioInput): Sentence[] =>
  typeof speech === 'function' ? speech(audio) : speech

export const textOf = (sentences: Sentence[]): string => sentences.map(({ text }) => text).join(' ')

export const secondsOf = (sentences: Sentence[]): number => (sentences.at(-1)?.end ?? 0) + PAUSE_SECONDS

const SIGNATURES = ['OggS', 'RIFF', 'fLaC', 'ID3', '\x1aE\xdf\xa3', '\xff\xfb', '\xff\xf3', '\xff\xf1']

/** Providers decode their input. A fake only checks its signature. */
export const isAudio = (bytes: Uint8Array): boolean => {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  return SIGNATURES.some((signature) => start.startsWith(signature)) || start.slice(4, 8) === 'ftyp'
}

/** Bytes that look like Ogg. `mark` tells pieces apart. */
export const oggBytes = (sizeBytes = 1_000, mark = 0): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(sizeBytes).fill(mark)
  bytes.set(new TextEncoder().encode('OggS'))
  return bytes
}
