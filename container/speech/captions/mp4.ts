import { boxesIn } from '../../media/boxes.ts'
import { CaptionsTooLarge, type Cue, collect } from './cue.ts'
import { decode } from './decode.ts'
import { merged, type Placed } from './hls.ts'
import { strip } from './markup.ts'
import { type Sample, samplesOf } from './mp4-samples.ts'
import { ttmlCues } from './ttml.ts'

/**
 * Text tracks in MP4 fragments as DASH and CMAF have them (ISO/IEC 14496-30). A sample of `wvtt` holds the cues
 * that are shown while it lasts, one of `stpp` a whole TTML document; what is shown for longer is in several.
 */
export const mp4Cues = (files: Uint8Array[]): Cue[] => merged(placed(files))

const typeOf = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(4, 8))

export const isMp4 = (bytes: Uint8Array): boolean =>
  ['ftyp', 'styp', 'moov', 'moof', 'sidx', 'emsg', 'prft'].includes(typeOf(bytes))

/** More than one each tenth of a second for a day. */
const maxSamples = 1_000_000

function* placed(files: Uint8Array[]): Generator<Placed> {
  let segment = 0
  for (const sample of samplesOf(files)) {
    if (++segment > maxSamples) throw new CaptionsTooLarge(`more than ${maxSamples} samples`)
    if (sample.data.length === 0) continue
    for (const cue of cuesOf(sample)) yield { cue, segment }
  }
}

/** `vttc` is a cue, `vtte` says that there is none, `vtta` is a comment. */
const isWebVtt = ({ data }: Sample) => /^vtt[cea]$/.test(typeOf(data))

const cuesOf = (sample: Sample): Iterable<Cue> =>
  isWebVtt(sample) ? webVttCues(sample) : collect(ttmlCues(decode(sample.data)))

function* webVttCues({ data, start, end }: Sample): Generator<Cue> {
  for (const box of boxesIn(data)) {
    if (box.type !== 'vttc') continue
    const payload = Array.from(boxesIn(box.content)).find(({ type }) => type === 'payl')
    const said = payload && strip(decode(payload.content))
    if (said && said.text.trim() !== '') yield { start, end, ...said }
  }
}
