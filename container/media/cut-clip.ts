import type { Selection } from '../../domain/protocol/protocol.ts'
import type { OutputFile } from './copy-streams.ts'
import type { ProbedFile } from './probe.ts'

/** One of the downloads of a clip: a whole file, a file with holes, or segments in a row. */
export interface CutInput {
  probed: ProbedFile
  /**
   * The media's time of the file's `startSeconds`: 0 for a whole file and for a file with holes, the position in the
   * playlist for segments.
   */
  startsAtSeconds: number
}

export interface CutFile extends OutputFile {
  /** The media's time of the first picture, or of the first sound where there is no picture. */
  actualStartSeconds: number
  endSeconds: number
}

export type CutClip = (
  inputs: CutInput[],
  clip: { startSeconds: number; endSeconds: number | null },
  selection: Selection,
  workDir: string,
  signal: AbortSignal,
) => Promise<CutFile>
