import { elementsIn, unsigned } from '../../index/matroska/ebml.ts'
import { malformed } from '../../index/sparse-file.ts'

/** RFC 9559, section 5.1.5: when a block of a track is shown, and which cluster it is in. */
export interface Cue {
  ticks: number
  track: number
  clusterAt: number
}

const [cuePoint, cueTime, cueTrackPositions, cueTrack, cueClusterPosition] = [0xbb, 0xb3, 0xb7, 0xf7, 0xf1]

/** In the order of the file. */
export const cuesIn = (content: Buffer, segmentAt: number): Cue[] => {
  const cues: Cue[] = []
  for (const point of elementsIn(content)) {
    if (point.id !== cuePoint) continue
    let ticks = 0
    for (const { id, content } of elementsIn(point.content)) {
      if (id === cueTime) ticks = unsigned(content)
      if (id === cueTrackPositions) cues.push({ ticks, ...positionIn(content, segmentAt) })
    }
  }
  return cues
}

const positionIn = (positions: Buffer, segmentAt: number): Omit<Cue, 'ticks'> => {
  let track: number | null = null
  let position: number | null = null
  for (const { id, content } of elementsIn(positions)) {
    if (id === cueTrack) track = unsigned(content)
    if (id === cueClusterPosition) position = unsigned(content)
  }
  if (track === null || position === null) throw malformed('Cues')
  return { track, clusterAt: segmentAt + position }
}
