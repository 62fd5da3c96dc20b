import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { decodeAudio, SAMPLE_RATE, secondsOf } from '../../container/audio/decode.ts'
import { cutAtSilences, measureLoudness } from '../../container/audio/pieces.ts'
import { speechSettings } from '../../container/config.ts'
import { toEncode } from '../../container/media/spending.ts'
import { createRecognizer, type Recognizer } from '../../container/speech/recognizer.ts'
import { readSamples } from '../../test/container/audio/samples.ts'
import { descendantsOf } from '../imports/memory.ts'
import { makeRecording, spokenText } from './clips.ts'
import { wordErrorRate } from './word-errors.ts'

/**
 * Our recognizer compared with a minimal faster-whisper script, with the same file, weights and threads. The times
 * cover decoding, cutting and recognition without loading the model, and are the best of three rounds.
 */
const settings = { ...speechSettings(), threads: 2 }

/** The length of a piece in production: two batches of the recognizer (worker/steps/orders.ts). */
const PIECE_SECONDS = 240

interface Measured {
  seconds: number
  text: string
  peakMegabytes: number
}

export const bareWhisper = async (file: string): Promise<Measured> => {
  const script = fileURLToPath(new URL('bare-whisper.py', import.meta.url))
  const { stdout } = await promisify(execFile)(
    settings.python,
    [script, file, settings.modelDir, String(settings.threads)],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  const { seconds, loadSeconds, text, peakMegabytes } = JSON.parse(stdout)
  return { seconds: seconds - loadSeconds, text, peakMegabytes }
}

const ours = async (file: string): Promise<Measured> => {
  const recognizer = createRecognizer(settings)
  const outputFile = `${file}.pcm`
  try {
    await recognizer.warm()
    const began = performance.now()
    const text = await transcribe(recognizer, file, outputFile)
    const seconds = (performance.now() - began) / 1000
    return { seconds, text, peakMegabytes: await peakMegabytesOf(recognizer.pid) }
  } finally {
    recognizer.stop()
    await rm(outputFile, { force: true })
  }
}

const MAX_SECONDS = 36_000

export const transcribe = async (
  recognizer: Recognizer,
  file: string,
  outputFile: string,
  asked: { model?: string; language: string | null } = { language: null },
): Promise<string> => {
  const { signal } = new AbortController()
  const spends = toEncode(MAX_SECONDS, 2 * SAMPLE_RATE)
  const pcm = await decodeAudio({ path: file, demuxer: 'wav' }, { outputFile, seconds: MAX_SECONDS, spends, signal })
  const stretches = cutAtSilences(pcm, await measureLoudness(pcm), PIECE_SECONDS)
  const pieces = async function* () {
    for (const stretch of stretches) {
      yield { offsetSeconds: secondsOf(stretch.start), samples: await readSamples(pcm, stretch) }
    }
  }
  return (await recognizer.recognize(pieces(), { ...asked, signal })).text
}

/** The peaks of this process and of the recognizer's processes, added. `pid` is that of bwrap. */
const peakMegabytesOf = async (pid = 0): Promise<number> => {
  const processes = [process.pid, pid, ...(await descendantsOf(pid))]
  const peaks = await Promise.all(processes.map((each) => readFile(`/proc/${each}/status`, 'utf8')))
  const kilobytes = peaks.map((status) => Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
  return Math.round(kilobytes.reduce((sum, peak) => sum + peak, 0) / 1024)
}

const best = (measured: Measured[]): Measured =>
  measured.reduce((one, other) => (other.seconds < one.seconds ? other : one))

/** `long` adds the peak memory of two hours of speech, which takes eight minutes. */
export const benchSpeech = async (print: (line: string) => void, { long = false } = {}): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-speech-'))
  const recording = async (seconds: number) => {
    const path = join(folder, `${seconds}.wav`)
    await makeRecording(path, seconds)
    return path
  }
  try {
    await benchWords(print, await recording(24.73))
    const tenMinutes = await benchTime(print, await recording(600))
    const short = await ours(await recording(300))
    const peaks = `5 min ${short.peakMegabytes} MB, 10 min ${tenMinutes.peakMegabytes} MB`
    print(`Peak memory of container and recognizer: ${peaks}`)
    if (!long) return
    const hours = await ours(await recording(7_200))
    print(`Peak memory of 2 h: ${hours.peakMegabytes} MB in ${hours.seconds.toFixed(0)} s (goal: 5 min + 150 MB)`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const benchWords = async (print: (line: string) => void, clips: string): Promise<void> => {
  const percent = ({ text }: Measured) => `${(wordErrorRate(spokenText, text) * 100).toFixed(1)} %`
  const [theirs, own] = [await bareWhisper(clips), await ours(clips)]
  print(`Word errors on real speech: ${percent(own)}, bare faster-whisper ${percent(theirs)} (goal: no more)`)
}

/** Alternates three rounds of each and takes the best, because other programs use the machine too. */
const benchTime = async (print: (line: string) => void, file: string): Promise<Measured> => {
  const rounds: [Measured, Measured][] = []
  for (let round = 0; round < 3; round++) rounds.push([await bareWhisper(file), await ours(file)])
  const [theirs, own] = [best(rounds.map(([one]) => one)), best(rounds.map(([, one]) => one))]
  const ratio = (own.seconds / theirs.seconds).toFixed(2)
  const times = `${own.seconds.toFixed(1)} s, bare ${theirs.seconds.toFixed(1)} s`
  print(`10 min of speech, decoded, cut and recognized: ${times}, ratio ${ratio} (goal 1.10)`)
  return own
}
