import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SAMPLE_RATE } from '../../container/audio/decode.ts'
import { randomFrom } from '../../test/support/random-numbers.ts'

/** How a part of a made recording sounds. */
interface Manner {
  /** The shortest and the longest pause after a sentence. */
  pauseSeconds: [number, number]
  /** Of the sound below the speech, where 1 is as loud as can be. */
  music: number
  noise: number
}

export const manners = {
  read: { pauseSeconds: [0.2, 1.5], music: 0, noise: 0 },
  fluent: { pauseSeconds: [0, 0.12], music: 0, noise: 0.004 },
  overMusic: { pauseSeconds: [0, 0.12], music: 0.06, noise: 0.002 },
  inNoise: { pauseSeconds: [0.1, 2.5], music: 0, noise: 0.015 },
} satisfies Record<string, Manner>

export interface MadeRecording {
  samples: Int16Array
  /** The speech alone, without music and noise. */
  speech: Int16Array
  text: string
}

const PART_SECONDS = 150
/** Speed and pitch of voices that are made of the one that reads the clips. */
const VOICES = [
  'anull',
  'atempo=1.15',
  'atempo=0.9',
  'asetrate=17600,aresample=16000',
  'asetrate=14800,aresample=16000',
]

/** Sentences of test/media/clips in changing order, voices and manners. The same in every run. */
export const makeVaried = async (seconds: number, kinds: readonly Manner[]): Promise<MadeRecording> => {
  const sentences = await Promise.all(VOICES.map(readSentences))
  const random = randomFrom(7)
  const between = ([from, to]: [number, number]) => from + (to - from) * random()
  const speech = new Int16Array(seconds * SAMPLE_RATE)
  const texts: string[] = []
  const mannerAt = (sample: number) => kinds[Math.floor(sample / SAMPLE_RATE / PART_SECONDS) % kinds.length] as Manner
  for (let at = 0; ; ) {
    const voice = sentences[Math.floor(random() * VOICES.length)] as Sentence[]
    const { samples, text } = voice[Math.floor(random() * voice.length)] as Sentence
    if (at + samples.length > speech.length) break
    speech.set(samples, at)
    texts.push(text)
    at += samples.length + Math.floor(between(mannerAt(at).pauseSeconds) * SAMPLE_RATE)
  }
  const [chords, hiss] = [looped(CHORDS_SECONDS, (at) => chord(at / SAMPLE_RATE)), looped(3, () => 2 * random() - 1)]
  const samples = speech.slice()
  for (let at = 0; at < samples.length; at++) {
    const { music, noise } = mannerAt(at)
    const below = music * (chords[at % chords.length] ?? 0) + noise * (hiss[at % hiss.length] ?? 0)
    samples[at] = Math.max(-32_768, Math.min(32_767, (speech[at] ?? 0) + below * 32_767))
  }
  return { samples, speech, text: texts.join(' ') }
}

const looped = (seconds: number, soundAt: (sample: number) => number): Float32Array =>
  Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, at) => soundAt(at))

/** Eight notes of half a second. */
const CHORDS_SECONDS = 4

interface Sentence {
  samples: Int16Array
  text: string
}

const folder = fileURLToPath(new URL('../../test/media/clips', import.meta.url))

const readSentences = async (filter: string): Promise<Sentence[]> => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.flac'))
  const texts = readFileSync(join(folder, 'words.txt'), 'utf8').trim().split('\n')
  return Promise.all(
    names.sort().map(async (name, index) => {
      // Without the silence around the sentence, so that the pauses are those of the manner.
      const trimmed = 'silenceremove=start_periods=1:start_threshold=-45dB,areverse'
      const filters = `${filter},${trimmed},${trimmed}`
      const output = ['-af', filters, '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', '-']
      const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', join(folder, name), ...output], {
        encoding: 'buffer',
        maxBuffer: 64 * 1024 * 1024,
      })
      const samples = new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.byteLength / 2))
      return { samples, text: texts[index] ?? '' }
    }),
  )
}

/** Three notes that change twice in a second, each plucked, with a beat. Between 0 and 1 in loudness. */
const chord = (seconds: number): number => {
  const step = Math.floor(seconds * 2)
  const within = seconds * 2 - step
  const root = 220 * 2 ** (([0, 5, 7, 3, 10, 8, 5, 7][step % 8] as number) / 12)
  const tones = [1, 1.26, 1.5].map((ratio) => Math.sin(2 * Math.PI * root * ratio * seconds))
  const beat = Math.sin(2 * Math.PI * 60 * seconds) * Math.exp(-10 * within)
  return (tones.reduce((sum, tone) => sum + tone, 0) / 3) * (0.4 + 0.6 * Math.exp(-3 * within)) + 0.5 * beat
}
