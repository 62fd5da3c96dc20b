import { type Box, boxAt, boxesIn, timescaleOf } from '../../source/index/mp4/boxes.ts'
import { type FragmentDefaults, positionsInFragment, sampleDefaults } from '../../source/index/mp4/samples.ts'
import { CaptionsTooLarge, type Cue, collectCues, decodeText } from '../cue.ts'
import { mergeRepeats, type PlacedCue } from './hls-segments.ts'
import { stripMarkup } from './markup.ts'
import { ttmlCues } from './ttml.ts'

export interface Sample {
  start: number
  end: number
  data: Uint8Array
}

/**
 * Text tracks in MP4 fragments (ISO/IEC 14496-30). A `wvtt` sample holds the cues shown during it, an `stpp` sample a
 * complete TTML document. A cue shown for longer is repeated in several samples.
 */
export const mp4Cues = (files: Uint8Array[]): Cue[] => {
  const bytes = files.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return sampleCues(samplesOf(files), bytes)
}

export const sampleCues = (samples: Iterable<Sample>, maxBytes: number): Cue[] =>
  mergeRepeats(placedCues(samples, maxBytes))

const typeOf = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(4, 8))

export const isMp4 = (bytes: Uint8Array): boolean =>
  ['ftyp', 'styp', 'moov', 'moof', 'sidx', 'emsg', 'prft'].includes(typeOf(bytes))

/** More than one every tenth of a second for a day. */
const maxSamples = 1_000_000

function* placedCues(samples: Iterable<Sample>, maxBytes: number): Generator<PlacedCue> {
  let segment = 0
  let bytes = 0
  for (const sample of samples) {
    if (++segment > maxSamples) throw new CaptionsTooLarge(`more than ${maxSamples} samples`)
    // Several samples may point at the same bytes. Without this limit a small file could be read thousands of times.
    bytes += sample.data.length
    if (bytes > maxBytes) throw new CaptionsTooLarge('samples of more bytes than the file has')
    if (sample.data.length === 0) continue
    for (const cue of cuesOf(sample)) yield { cue, segment }
  }
}

/** `vttc` is a cue, `vtte` an empty sample, `vtta` a comment. */
const isWebVtt = ({ data }: Sample) => /^vtt[cea]$/.test(typeOf(data))

const cuesOf = (sample: Sample): Iterable<Cue> =>
  isWebVtt(sample) ? webVttCues(sample) : collectCues(ttmlCues(decodeText(sample.data)))

function* webVttCues({ data, start, end }: Sample): Generator<Cue> {
  for (const box of boxesIn(data)) {
    if (box.type !== 'vttc') continue
    const payload = Array.from(boxesIn(box.content)).find(({ type }) => type === 'payl')
    const stripped = payload && stripMarkup(decodeText(payload.content))
    if (stripped && stripped.text.trim() !== '') yield { start, end, ...stripped }
  }
}

export function* samplesOf(files: Uint8Array[]): Generator<Sample> {
  let defaults: FragmentDefaults = { trackId: null, timescale: 1000, sampleDuration: 0, sampleSize: 0 }
  for (const file of files) {
    for (const box of boxesIn(file)) {
      if (box.type === 'moov') defaults = onlyTrack(box)
      if (box.type === 'moof') yield* fragmentSamples(file, box, defaults)
    }
  }
}

function* fragmentSamples(file: Uint8Array, moof: Box, defaults: FragmentDefaults): Generator<Sample> {
  for (const { start, end, at, size } of positionsInFragment(moof, defaults)) {
    if (at + size > file.length) return
    yield { start, end, data: file.subarray(at, at + size) }
  }
}

const onlyTrack = ({ content }: Box): FragmentDefaults => ({
  trackId: null,
  timescale: timescaleOf(boxAt(content, 'trak/mdia/mdhd')?.content),
  ...sampleDefaults(boxAt(content, 'mvex/trex')?.content),
})
