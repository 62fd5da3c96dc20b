import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Egress } from '../egress/egress.ts'
import { readAtMost } from '../sandbox/lines.ts'
import { ffmpeg, input, type MediaFile } from './ffmpeg.ts'
import { jpegSize } from './jpeg-size.ts'
import type { OpenContext } from './peek.ts'
import type { ProbedFile } from './probe.ts'
import { toDrawPicture } from './spending.ts'

const MAX_WIDTH = 1280
const MAX_IMAGE_BYTES = 20_000_000
const SMALL_BYTES = 500_000
const IMAGE_TIMEOUT_MS = 15_000
const FFMPEG_TIMEOUT_MS = 30_000

const scaled = `scale='min(${MAX_WIDTH},iw)':-2:flags=bicubic,format=yuvj420p`
/** Frames with a mean luma below this count as black: 16 is black, 235 white. */
const MIN_LUMA = 32
const asJpeg = (path: string) => ['-frames:v', '1', '-q:v', '3', '-f', 'image2', '-update', '1', '-c:v', 'mjpeg', path]

/** A missing thumbnail does not fail the job, so errors give null. */
type Thumbnail = Promise<string | null>

export const platformThumbnail = async (url: string, { egress, workDir, signal }: OpenContext): Thumbnail => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(IMAGE_TIMEOUT_MS)])
  const bytes = await download(url, egress, limited).catch(() => null)
  const demuxer = bytes && imageDemuxer(bytes)
  if (!bytes || !demuxer) return null
  const image = join(workDir, 'platform-image')
  await writeFile(image, bytes)
  if (demuxer === 'jpeg_pipe' && isSmall(bytes)) return image
  const file = { path: image, demuxer }
  return jpeg(file, input(file), scaled, join(workDir, 'platform.jpg'), signal)
}

/** Such a picture is stored unchanged: to decode and encode it would be a tenth of the work of a page. */
const isSmall = (bytes: Buffer): boolean => {
  const size = jpegSize(bytes)
  return size !== null && bytes.length <= SMALL_BYTES && size.width <= MAX_WIDTH && size.height <= MAX_WIDTH
}

const download = async (url: string, egress: Egress, signal: AbortSignal): Promise<Buffer | null> => {
  const response = await egress.fetch(url, { signal })
  if (response.ok) return readAtMost(response.body, MAX_IMAGE_BYTES)
  await response.body?.cancel()
  return null
}

/** The decoder is chosen by the bytes, never by the server's Content-Type. */
const imageDemuxer = (bytes: Buffer): string | null => {
  if (bytes.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff))) return 'jpeg_pipe'
  if (bytes.subarray(0, 8).equals(Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a))) return 'png_pipe'
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP' ? 'webp_pipe' : null
}

export const extractThumbnail = async (file: ProbedFile, workDir: string, signal: AbortSignal): Thumbnail => {
  const target = join(workDir, 'frame.jpg')
  if (!file.video) {
    if (file.coverStream === null) return null
    return jpeg(file, [...input(file), '-map', `0:${file.coverStream}`], scaled, target, signal)
  }
  for (const position of [0.2, 0.6]) {
    const found = await brightFrame(file, position, target, signal)
    if (found) return found
  }
  return jpeg(file, [...input(file), '-map', '0:V:0'], scaled, target, signal)
}

/**
 * The first keyframe that is not black, from the last one before a position on and for a minute. The position is a fraction of
 * the duration.
 */
const brightFrame = (file: ProbedFile, position: number, target: string, signal: AbortSignal): Thumbnail => {
  const from = ['-noaccurate_seek', '-ss', (file.durationSeconds * position).toFixed(3), '-t', '60']
  const bright = `signalstats,metadata=select:key=lavfi.signalstats.YAVG:value=${MIN_LUMA}:function=greater`
  return jpeg(
    file,
    [...decodesAtOnce(file), '-skip_frame', 'nokey', ...from, ...input(file), '-map', '0:V:0'],
    `${bright},${scaled}`,
    target,
    signal,
  )
}

/** The headers of these formats say all that a decoder needs. ffmpeg would decode the first frames to find it out. */
const decodesAtOnce = ({ demuxer }: MediaFile): string[] =>
  demuxer === 'mov' || demuxer === 'matroska' ? ['-nofind_stream_info'] : []

const jpeg = async (
  { path }: MediaFile,
  input: string[],
  filter: string,
  target: string,
  signal: AbortSignal,
): Thumbnail => {
  const args = ['-threads', '1', ...input, '-an', '-sn', '-dn', '-vf', filter, ...asJpeg(target)]
  const options = { signal, reads: [path], writes: target, spends: toDrawPicture, timeoutMs: FFMPEG_TIMEOUT_MS }
  await ffmpeg(args, options).catch(() => null)
  signal.throwIfAborted()
  const written = await stat(target).catch(() => null)
  return written && written.size > 0 ? target : null
}
