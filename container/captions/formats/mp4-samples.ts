import { type Box, boxAt, boxesIn } from '../../source/index/mp4/boxes.ts'
import {
  type FragmentDefaults,
  placesInFragment,
  sampleDefaults,
  timescaleOf,
} from '../../source/index/mp4/fragment-samples.ts'

/** One sample of a text track, times in seconds. */
export interface Sample {
  start: number
  end: number
  data: Uint8Array
}

/** The samples of a single-track initialization section and its fragments, in one or more files. */
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
  for (const { start, end, at, size } of placesInFragment(moof, defaults)) {
    if (at + size > file.length) return
    yield { start, end, data: file.subarray(at, at + size) }
  }
}

const onlyTrack = ({ content }: Box): FragmentDefaults => ({
  trackId: null,
  timescale: timescaleOf(boxAt(content, 'trak/mdia/mdhd')?.content),
  ...sampleDefaults(boxAt(content, 'mvex/trex')?.content),
})
