import { SourceFailure } from '../failures.ts'
import { ChildStopped, type RunResult, run } from '../sandbox/process.ts'
import { ffmpegFiles, ffmpegProgram } from '../sandbox/program-files.ts'
import type { MediaKind } from '../source/sniff.ts'
import { type Spending, toReport } from './spending.ts'

/** ffmpeg's demuxers. Playlists are excluded because they name other files, and so are images. */
export const demuxers: Record<MediaKind, string> = {
  mp4: 'mov',
  mov: 'mov',
  m4a: 'mov',
  webm: 'matroska',
  mkv: 'matroska',
  ogg: 'ogg',
  avi: 'avi',
  flv: 'flv',
  ts: 'mpegts',
  mp3: 'mp3',
  flac: 'flac',
  wav: 'wav',
  aac: 'aac',
}

/** 8192 × 8192. A decoded picture of 16,000² pixels would take 2 GB. */
export const MAX_PIXELS = 8192 * 8192

export interface MediaFile {
  path: string
  demuxer: string
}

/** Input arguments that stop ffmpeg from guessing the format, opening other files or allocating without limit. */
export const input = ({ path, demuxer }: MediaFile): string[] => [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxer, '-f', demuxer],
  ...['-max_pixels', String(MAX_PIXELS), '-max_streams', '100', '-probesize', '20M', '-analyzeduration', '20M'],
  ...['-i', path],
]

export interface MediaRun {
  signal: AbortSignal
  /** The files that the arguments name. The tool sees no others. */
  reads: readonly string[]
  /** The file that the tool writes. It is created first, and stays empty if nothing is written. */
  writes?: string
  timeoutMs?: number
  spends: Spending
  onStdoutLine?: (line: string) => void
}

const MAX_ALLOC_BYTES = 1024 ** 3

export const ffprobe = (args: string[], options: Omit<MediaRun, 'writes' | 'spends'>): Promise<RunResult> =>
  runTool('ffprobe', ['-v', 'warning', '-max_alloc', String(MAX_ALLOC_BYTES), '-threads', '1', ...args], {
    timeoutMs: 60_000,
    spends: toReport,
    ...options,
  })

export const ffmpeg = (args: string[], options: MediaRun): Promise<RunResult> =>
  runTool('ffmpeg', ['-v', 'error', '-nostdin', '-y', '-max_alloc', String(MAX_ALLOC_BYTES), ...args], {
    timeoutMs: 30 * 60_000,
    ...options,
  })

export const ffmpegError = (stderr: string): Error => new Error(`ffmpeg: ${stderr.trim().split('\n').at(-1)}`)

/** Why ffmpeg failed on a source's file: a full disk, no memory or no permission is our fault; any other error is caused by the file. */
export const sourceError = (stderr: string): Error => {
  const cause = ffmpegError(stderr)
  if (/No space left|Cannot allocate|Permission denied/.test(stderr)) return cause
  return new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
}

/** As in a shell: 128 and the number of SIGXFSZ, which the kernel sends to a process that writes beyond its limit. */
const WROTE_TOO_MUCH = 128 + 25

/** A file on which the tool times out or exceeds its output limit is reported as unsupported. */
const runTool = async (
  name: 'ffmpeg' | 'ffprobe',
  args: string[],
  { reads, writes, spends, ...options }: MediaRun & { timeoutMs: number },
): Promise<RunResult> => {
  try {
    const result = await run(ffmpegProgram(name), args, {
      ...options,
      reads: [...ffmpegFiles, ...reads],
      writes: writes === undefined ? [] : [writes],
      limits: { fileSizeBytes: spends.bytes, cpuSeconds: spends.cpuSeconds },
    })
    if (result.code === WROTE_TOO_MUCH) throw new SourceFailure('MEDIA_TOO_LARGE')
    return result
  } catch (error) {
    if (error instanceof ChildStopped) throw new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause: error })
    throw error
  }
}
