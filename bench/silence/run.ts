import { spawn } from 'node:child_process'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type RecognizerSettings, speechSettings } from '../../container/config.ts'
import { createRecognizer } from '../../container/speech/recognizer.ts'
import { wordErrorRate } from '../speech/word-errors.ts'
import { hasLoop } from './loops.ts'

/**
 * Whether text is invented where nobody speaks, and what the filters against that cost where somebody does. Each clip is
 * heard by our recognizer with each model, and by a minimal program with faster-whisper, which has none of our filters.
 */
const MOONSHINE = 'moonshine-base'

interface Clip {
  file: string
  seconds: number
  set: 'silence' | 'speech'
  kind: string
  level?: number
  /** What is said. */
  text?: string
}

type Print = (line: string) => void
type Hear = (clips: Clip[], heard: (clip: Clip, text: string) => void) => Promise<void>

interface Options {
  /** Clips of another seed are other clips. */
  seed?: number
  /** Only these. */
  models?: string[]
}

export const benchSilence = async (print: Print, { seed = 1, models }: Options = {}): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-silence-'))
  const settings = await withMoonshine({ ...speechSettings(), threads: 2 })
  try {
    const clips = await clipsIn(folder, seed, settings.python)
    const without = clips.filter((clip) => clip.set === 'silence')
    const hours = without.reduce((sum, { seconds }) => sum + seconds, 0) / 3_600
    print(`${without.length} clips without speech, ${hours.toFixed(1)} h; ${clips.length - without.length} with speech`)
    const hearing: [string, Hear][] = [
      ['faster-whisper', bare(folder, settings)],
      ['whisper-base', ours(folder, settings, { language: null })],
      ...(settings.models.some(({ name }) => name === MOONSHINE)
        ? [[MOONSHINE, ours(folder, settings, { language: 'en', model: MOONSHINE })] satisfies [string, Hear]]
        : []),
    ]
    for (const [name, hear] of hearing) {
      if (models === undefined || models.includes(name)) await report(print, name, hear, clips)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** It is heard too where it is installed, whatever the settings say. */
const withMoonshine = async (settings: RecognizerSettings): Promise<RecognizerSettings> => {
  const folder = join(import.meta.dirname, '../../.tools/models', MOONSHINE)
  const isThere = await access(join(folder, 'manifest.json')).then(
    () => true,
    () => false,
  )
  const isNamed = settings.models.some(({ name }) => name === MOONSHINE)
  return isThere && !isNamed ? { ...settings, models: [...settings.models, { name: MOONSHINE, folder }] } : settings
}

const clipsIn = async (folder: string, seed: number, python: string): Promise<Clip[]> => {
  const child = spawn(python, [join(import.meta.dirname, 'clips.py'), folder, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const clips: Clip[] = []
  for await (const line of createInterface({ input: child.stdout })) clips.push(JSON.parse(line))
  return clips
}

const PIECE_BYTES = 240 * 32_000

const ours =
  (folder: string, settings: RecognizerSettings, options: { language: string | null; model?: string }): Hear =>
  async (clips, heard) => {
    const recognizer = createRecognizer(settings)
    try {
      for (const clip of clips) {
        const pieces = inPieces(await readFile(join(folder, clip.file)))
        const { text } = await recognizer.recognize(pieces, { ...options, signal: new AbortController().signal })
        heard(clip, text)
      }
    } finally {
      recognizer.stop()
    }
  }

const inPieces = (pcm: Buffer) =>
  Array.from({ length: Math.ceil(pcm.length / PIECE_BYTES) }, (_, index) => ({
    offsetSeconds: 240 * index,
    samples: pcm.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  }))

const bare =
  (folder: string, { python, modelDir, threads }: RecognizerSettings): Hear =>
  async (clips, heard) => {
    const script = join(import.meta.dirname, 'bare.py')
    const child = spawn(python, [script, folder, modelDir, String(threads)], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.end(clips.map(({ file }) => `${file}\n`).join(''))
    const left = clips.values()
    for await (const line of createInterface({ input: child.stdout }))
      heard(left.next().value as Clip, JSON.parse(line))
  }

const report = async (print: Print, name: string, hear: Hear, clips: Clip[]): Promise<void> => {
  const heard: { clip: Clip; text: string }[] = []
  const startedAt = performance.now()
  await hear(clips, (clip, text) => {
    heard.push({ clip, text })
    if (clip.set === 'silence' && text !== '') {
      print(`  ${clip.kind}, ${clip.seconds} s at ${clip.level} dB: ${JSON.stringify(text.slice(0, 200))}`)
    }
  })
  const loops = heard.filter(({ clip, text }) => hasLoop(text, clip.text)).length
  print(`${name}, ${((performance.now() - startedAt) / 60_000).toFixed(1)} min, clips with a loop: ${loops}`)
  const kindsOf = (set: Clip['set']) =>
    Object.entries(Object.groupBy(heard, ({ clip }) => (clip.set === set ? clip.kind : '')))
      .filter(([kind]) => kind !== '')
      .map(([kind, of = []]) => ({ kind, of }))
  const invented = heard.filter(({ clip, text }) => clip.set === 'silence' && text !== '').length
  print(
    `${name}: text in ${invented} of ${heard.filter(({ clip }) => clip.set === 'silence').length} clips without speech`,
  )
  for (const { kind, of } of kindsOf('silence')) {
    print(`| ${kind} | ${of.length} | ${of.filter(({ text }) => text !== '').length} |`)
  }
  for (const { kind, of } of kindsOf('speech')) {
    const said = of.map(({ clip }) => clip.text).join(' ')
    const rate = wordErrorRate(said, of.map(({ text }) => text).join(' '))
    const empty = of.filter(({ text }) => text === '').length
    print(`| ${kind} | ${of.length} | ${(rate * 100).toFixed(1)} % | ${empty} |`)
  }
}
