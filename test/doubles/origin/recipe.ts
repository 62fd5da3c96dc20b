/** How to generate a test file: ffmpeg arguments, where a name with `@` is an earlier result. */
export interface Recipe {
  /** A file or a folder, relative to the fixtures' root. */
  makes: string
  /** Files written into the result's folder before ffmpeg runs. */
  files?: Record<string, string | Uint8Array>
  ffmpeg?: string[]
  /** Instead of ffmpeg: the first part of an earlier result. */
  headOf?: { file: string; fraction: number }
}
