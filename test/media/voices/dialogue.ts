import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Turn } from '../../../domain/words/speaker-turns.ts'
import { samplesOf } from '../../container/audio/recordings.ts'
import { randomFrom } from '../../support/random-numbers.ts'

/** Conversations of which is known who speaks when, made of the clips in this folder. */

interface Clip {
  file: string
  /** When somebody speaks in it. */
  speech: [number, number][]
  text?: string
}

const voices: Record<string, Clip[]> = JSON.parse(readFileSync(join(import.meta.dirname, 'voices.json'), 'utf8'))

export interface Dialogue {
  /** 16 kHz mono, 16-bit little-endian. */
  pcm: Buffer
  /** `speaker` is the name of the voice. */
  turns: Turn[]
  /** What each voice says, where that is known. */
  texts: Record<string, string>
}

interface Options {
  /** Other numbers are other conversations. */
  seed?: number
  /** The share of turns that begin before the one before them has ended. */
  overlaps?: number
}

const SAMPLE_RATE = 16_000
/** Of the whole range: noise of a quiet room. */
const NOISE = 0.001

/** At least so many seconds. Each turn has one or two clips, and each voice takes its clips in their order. */
export const dialogue = (people: string[], seconds: number, { seed = 1, overlaps = 0 }: Options = {}): Dialogue => {
  const random = randomFrom(seed)
  const samples = new Float32Array(Math.round((seconds + 20) * SAMPLE_RATE))
  for (let at = 0; at < samples.length; at++) samples[at] = (random() - random()) * NOISE
  const turns: Turn[] = []
  const texts: Record<string, string> = {}
  const said: Record<string, number> = {}
  let speaker: string | undefined
  let at = 0.3
  const say = (person: string) => {
    const clips = voices[person] ?? []
    const clip = clips[(said[person] ?? 0) % clips.length]
    if (!clip) throw new Error(`there is no voice ${person}`)
    said[person] = (said[person] ?? 0) + 1
    const heard = decoded(clip.file)
    const first = Math.round(at * SAMPLE_RATE)
    heard.forEach((sample, index) => {
      samples[first + index] = (samples[first + index] ?? 0) + sample
    })
    for (const [start, end] of clip.speech) turns.push({ start: at + start, end: at + end, speaker: person })
    if (clip.text) texts[person] = `${texts[person] ?? ''} ${clip.text}`.trim()
    at += heard.length / SAMPLE_RATE
  }
  while (at < seconds) {
    // Everyone has said something before anyone speaks again.
    const silent = people.filter((person) => !said[person])
    const others = (silent.length > 0 ? silent : people).filter((person) => person !== speaker)
    speaker = others[Math.floor(random() * others.length)] ?? people[0] ?? ''
    say(speaker)
    if (random() < 0.5) say(speaker)
    at += random() < overlaps ? -0.2 - random() * 0.6 : random() * 0.8
  }
  const end = Math.ceil(Math.max(...turns.map((turn) => turn.end)) * SAMPLE_RATE) + SAMPLE_RATE / 2
  return { pcm: asPcm(samples.subarray(0, end)), turns, texts }
}

const decodedClips = new Map<string, Float32Array>()

/** All clips are as loud as each other. */
const decoded = (file: string): Float32Array => {
  const known = decodedClips.get(file)
  if (known) return known
  const bytes = samplesOf('-i', join(import.meta.dirname, file))
  const values = Float32Array.from(
    new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2),
    (value) => value / 32_768,
  )
  const loudness = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)
  const samples = values.map((value) => (value * 0.05) / loudness)
  decodedClips.set(file, samples)
  return samples
}

const asPcm = (samples: Float32Array): Buffer => {
  // Not Int16Array.from, which makes a list of all numbers first.
  const pcm = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at++) pcm[at] = Math.max(-1, Math.min(1, samples[at] ?? 0)) * 32_767
  return Buffer.from(pcm.buffer)
}
