import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { speakerSettings, speechSettings } from '../../container/config.ts'
import { createRecognizer } from '../../container/speech/recognizer.ts'
import { createSpeakerFinder } from '../../container/speech/speakers.ts'
import type { Turn } from '../../domain/words/speaker-turns.ts'
import { type Dialogue, dialogue } from '../../test/media/voices/dialogue.ts'
import { diarizationError, nameOf } from '../../test/media/voices/diarization-error.ts'
import { descendantsOf } from '../imports/memory.ts'
import { wordErrorRate } from './word-errors.ts'

/**
 * Who speaks when, in conversations made of the voices of test/media/voices. With a number of threads that does not depend
 * on the machine, so the same turns are found everywhere.
 */
const finder = createSpeakerFinder({ ...speakerSettings(), threads: 1 })

const readers = ['reader-2033', 'reader-3005', 'reader-1998', 'reader-3080']
const callers = ['allison', 'carlo', 'june']
const withTexts = ['librivox', 'slt', 'rms']
const everyone = [...readers, ...callers, ...withTexts]

interface Case {
  what: string
  people: string[]
  seconds: number
  overlaps?: number
  /** ffmpeg's options for what the sound goes through. */
  through?: string[]
}

const cases: Case[] = [
  { what: 'one', people: ['allison'], seconds: 60 },
  { what: 'two', people: ['allison', 'carlo'], seconds: 120 },
  { what: 'two like voices', people: ['reader-2033', 'reader-3005'], seconds: 120 },
  { what: 'two, half of the turns overlap', people: ['reader-1998', 'reader-3080'], seconds: 120, overlaps: 0.5 },
  { what: 'two, 20 seconds', people: ['allison', 'reader-1998'], seconds: 20 },
  { what: 'three', people: callers, seconds: 180 },
  { what: 'four', people: readers, seconds: 180 },
  {
    what: 'four, Opus of 24 kbit/s',
    people: readers,
    seconds: 180,
    through: ['-c:a', 'libopus', '-b:a', '24k', '-f', 'ogg'],
  },
  {
    what: 'four, telephone (8 kHz)',
    people: readers,
    seconds: 180,
    through: ['-ar', '8000', '-c:a', 'pcm_mulaw', '-f', 'wav'],
  },
  { what: 'six', people: [...callers, 'reader-2033', 'reader-3080', 'librivox'], seconds: 300 },
  { what: 'ten', people: everyone, seconds: 600 },
]
const SEEDS = [1, 2, 3]

export const benchSpeakers = async (print: (line: string) => void, { long = false } = {}): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-speakers-'))
  try {
    for (const each of cases) print(await errorsOf(each, folder))
    print(await wordsOf(folder))
    for (const seconds of long ? [3_600, 4 * 3_600] : [720]) print(await costOf(seconds, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const find = async (pcm: Buffer, folder: string): Promise<Turn[]> => {
  const path = join(folder, 'recording.pcm')
  await writeFile(path, pcm)
  return finder.find(path, { min: null, max: null }, { signal: new AbortController().signal })
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const errorsOf = async ({ what, people, seconds, overlaps = 0, through }: Case, folder: string): Promise<string> => {
  const found: { count: number; turns: Turn[]; truth: Turn[] }[] = []
  for (const seed of SEEDS) {
    const { pcm, turns: truth } = dialogue(people, seconds, { seed, overlaps })
    const turns = await find(through ? await passed(pcm, through, folder) : pcm, folder)
    found.push({ truth, turns, count: new Set(turns.map(({ speaker }) => speaker)).size })
  }
  const rates = found.map(({ truth, turns }) => diarizationError(truth, turns))
  const strict = found.map(({ truth, turns }) => diarizationError(truth, turns, 0))
  const errors = [
    `DER ${percent(mean(rates.map(({ total }) => total)))}`,
    `${percent(mean(rates.map(({ confused }) => confused)))} confused`,
    `without collar ${percent(mean(strict.map(({ total }) => total)))}`,
  ]
  return `${what}: found ${found.map(({ count }) => count).join(', ')} of ${people.length}; ${errors.join(', ')}`
}

/** Encoded and decoded again. */
const passed = async (pcm: Buffer, options: string[], folder: string): Promise<Buffer> => {
  const [raw, encoded] = [join(folder, 'raw.pcm'), join(folder, 'encoded')]
  const asPcm = ['-f', 's16le', '-ar', '16000', '-ac', '1']
  await writeFile(raw, pcm)
  const ffmpeg = (args: string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', '-y', ...args])
  await ffmpeg([...asPcm, '-i', raw, ...options, encoded])
  await ffmpeg(['-i', encoded, ...asPcm, raw])
  return readFile(raw)
}

/** Whether recognized words have their speakers: word errors of what each person says, and of the whole. */
const wordsOf = async (folder: string): Promise<string> => {
  const recognizer = createRecognizer(speechSettings())
  const { pcm, turns: truth, texts } = dialogue(withTexts, 240)
  try {
    const turns = await find(pcm, folder)
    const options = { language: 'en', turns, signal: new AbortController().signal }
    const { segments } = await recognizer.recognize([{ offsetSeconds: 0, samples: pcm }], options)
    const rates = Object.entries(texts).map(([person, text]) => {
      const name = nameOf(person, truth, turns)
      const said = segments.filter(({ speaker }) => speaker === name).map((segment) => segment.text)
      return `${person} ${percent(wordErrorRate(text, said.join(' ')))}`
    })
    return `words of three, errors of each: ${rates.join(', ')}`
  } finally {
    recognizer.stop()
  }
}

const WATCH_MS = 50

/** CPU time, as a share of the recording's length, and peak memory of the program. */
const costOf = async (seconds: number, folder: string): Promise<string> => {
  const { pcm, turns: truth }: Dialogue = dialogue(everyone, seconds)
  const spent = { cpuSeconds: 0, peakKilobytes: 0 }
  const timer = setInterval(() => void watch(spent), WATCH_MS)
  const turns = await find(pcm, folder)
  clearInterval(timer)
  const [share, megabytes] = [spent.cpuSeconds / seconds, Math.round(spent.peakKilobytes / 1024)]
  const people = new Set(turns.map(({ speaker }) => speaker)).size
  const rate = percent(diarizationError(truth, turns).total)
  return `${seconds / 60} min of ten: found ${people}, DER ${rate}; ${share.toFixed(4)} s of CPU time per second, peak memory ${megabytes} MB`
}

/** What a process has spent until it ends is in /proc, so the last look has almost all of it. */
const watch = async (spent: { cpuSeconds: number; peakKilobytes: number }): Promise<void> => {
  for (const pid of await descendantsOf(process.pid)) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
    if (!(await read('cmdline')).includes('speakers/main.py')) continue
    const stat = await read('stat')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    spent.cpuSeconds = Math.max(spent.cpuSeconds, (Number(fields[11]) + Number(fields[12])) / 100 || 0)
    spent.peakKilobytes = Math.max(spent.peakKilobytes, Number(/VmHWM:\s+(\d+)/.exec(await read('status'))?.[1] ?? 0))
  }
}
