/** A piece of test media, as the arguments that make it. A name with `@` is an earlier result. */
export interface Recipe {
  /** A file, or a folder, under the fixtures' root. */
  makes: string
  /** Written next to the result before ffmpeg runs. */
  files?: Record<string, string | Uint8Array>
  ffmpeg?: string[]
  /** Instead of ffmpeg: the first part of an earlier result. */
  headOf?: { file: string; fraction: number }
}
