import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Pcm, type SampleRange, secondsOf } from '../../container/audio/decode.ts'
import { cutAtSilences, FRAME_SAMPLES, type Loudness, measureLoudness } from '../../container/audio/pieces.ts'
import { speechSettings } from '../../container/config.ts'
import { createRecognizer } from '../../container/speech/recognizer.ts'
import { readSamples } from '../../test/container/audio/samples.ts'
import { type MadeRecording, makeVaried, manners } from './varied.ts'
import { wordErrorRate } from './word-errors.ts'

/** The length of a piece in production (worker/steps/start-step.ts). */
const PIECE_SECONDS = 240
const HOUR = 3_600

/**
 * Whether slicing loses words: an hour of speech in our pieces, and the same hour in one piece, by the same engine. And
 * for providers, whose pieces are cut by loudness only: how many cuts have speech on both sides.
 */
export const benchSlices = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-slices-'))
  try {
    await benchCuts(print, folder)
    await benchHour(print, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const write = async (folder: string, samples: Int16Array): Promise<Pcm> => {
  const path = join(folder, 'audio.pcm')
  await writeFile(path, samples)
  return { path, samples: samples.length, durationSeconds: secondsOf(samples.length) }
}

const benchHour = async (print: (line: string) => void, folder: string): Promise<void> => {
  const { samples, text } = await makeVaried(HOUR, Object.values(manners))
  const pcm = await write(folder, samples)
  const whole = await recognized(pcm, [{ start: 0, end: pcm.samples }])
  const ranges = cutAtSilences(pcm, await measureLoudness(pcm), PIECE_SECONDS)
  const pieces = await recognized(pcm, ranges)
  const [one, ours] = [wordErrorRate(text, whole), wordErrorRate(text, pieces)]
  const points = ((ours - one) * 100).toFixed(2)
  const words = whole.split(' ').length
  const different = Math.round(wordErrorRate(whole, pieces) * words)
  print(
    `An hour of speech: word errors in one piece ${(one * 100).toFixed(2)} %, in ${ranges.length} pieces ` +
      `${(ours * 100).toFixed(2)} %, ${points} points more (goal 0.0); ${different} of ${words} words differ`,
  )
}

const recognized = async (pcm: Pcm, ranges: SampleRange[]): Promise<string> => {
  const recognizer = createRecognizer(speechSettings())
  const pieces = async function* () {
    for (const range of ranges) {
      yield { offsetSeconds: secondsOf(range.start), samples: await readSamples(pcm, range) }
    }
  }
  try {
    const { signal } = new AbortController()
    return (await recognizer.recognize(pieces(), { language: null, signal })).text
  } finally {
    recognizer.stop()
  }
}

const CUT_HOURS = 2
/** Providers' limits differ, and short pieces have more cuts. */
const CUT_SECONDS = [30, 60, 120, 240]

const benchCuts = async (print: (line: string) => void, folder: string): Promise<void> => {
  for (const [name, manner] of Object.entries(manners)) {
    const made = await makeVaried(CUT_HOURS * HOUR, [manner])
    const pcm = await write(folder, made.samples)
    const loudness = await measureLoudness(pcm)
    const cuts = CUT_SECONDS.flatMap((seconds) => cutAtSilences(pcm, loudness, seconds).slice(1))
    const inside = await cutsInsideWords(made, cuts, folder)
    print(`Pieces for providers, ${name}: ${inside} of ${cuts.length} cuts have speech on both sides (goal 0)`)
  }
}

/** Below this share of its mean power nothing is said. */
const QUIET_SHARE = 0.01
/** 40 ms before the cut and after it. */
const AROUND_FRAMES = 2

const cutsInsideWords = async ({ speech }: MadeRecording, cuts: SampleRange[], folder: string): Promise<number> => {
  const loudness = await measureLoudness(await write(folder, speech))
  const quiet = QUIET_SHARE * mean(loudness)
  return cuts.filter(({ start }) => {
    const frame = Math.round(start / FRAME_SAMPLES)
    const sides = [loudness.subarray(frame - AROUND_FRAMES, frame), loudness.subarray(frame, frame + AROUND_FRAMES)]
    return sides.every((side) => mean(side) > quiet)
  }).length
}

const mean = (values: Loudness): number => values.reduce((sum, value) => sum + value, 0) / values.length
