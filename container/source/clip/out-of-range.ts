import { SourceFailure } from '../../failures.ts'
import type { ClipTimes } from './clip-places.ts'

export const refuseOutOfRange = ({ startSeconds }: ClipTimes, mediaSeconds: number): void => {
  if (startSeconds >= mediaSeconds) throw new SourceFailure('CLIP_OUT_OF_RANGE')
}
