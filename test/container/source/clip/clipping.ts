import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Egress } from '../../../../container/egress/egress.ts'
import { isClipComplete } from '../../../../container/media/clip/check-clip.ts'
import type { ClipStreams } from '../../../../container/source/clip/clip-ranges.ts'
import {
  downloadFileClip,
  type FileClipPlan,
  markHoles,
  planFileClip,
} from '../../../../container/source/clip/file-clip.ts'
import type { Rendition } from '../../../../container/source/source.ts'
import { openSpool } from '../../../../container/source/spool.ts'
import type { Clip } from '../../../../domain/protocol/protocol.ts'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { never } from '../downloading.ts'

const run = promisify(execFile)

export const bothStreams: ClipStreams = { includeVideo: true, includeAudio: true }
export const soundOnly: ClipStreams = { includeVideo: false, includeAudio: true }

export const ffmpeg = (folder: string, args: string[]) =>
  run('ffmpeg', ['-v', 'error', '-y', ...args], { cwd: folder, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 })

/** Puts media of test/origin into the folder of a test's own origin. */
export const take = (folder: string, name: string, as = name) => symlink(fixture(name), join(folder, as))

/** A file at its origin. */
export const renditionOf = (url: string): Rendition => ({
  ...{ id: 'file', container: null, videoCodec: 'unknown', audioCodec: 'unknown', width: null, height: null },
  ...{ bitrate: null, audioBitrate: null, sizeBytes: null, sizeIsEstimate: false, language: null, preference: 0 },
  transport: { kind: 'file', url, headers: {} },
})

export interface DownloadedClip {
  plan: FileClipPlan
  path: string
  writtenBytes: number
  isComplete: boolean
  remove(): Promise<void>
}

/** Plans and downloads a clip as a step does. null: there is no plan. */
export const downloadClip = async (
  url: string,
  clip: Clip,
  egress: Egress,
  streams = bothStreams,
): Promise<DownloadedClip | null> => {
  const plan = await planFileClip(renditionOf(url), clip, { egress, signal: never, streams })
  if (!plan) return null
  const folder = await mkdtemp(join(tmpdir(), 'haul-clip-'))
  const path = join(folder, 'media')
  let writtenBytes = 0
  const onBytes = (bytes: number) => {
    writtenBytes += bytes
  }
  const end = new AbortController()
  try {
    const spool = await openSpool(path, { digest: false, signal: end.signal, onBytes })
    await downloadFileClip(plan, spool, { egress, signal: never })
  } finally {
    end.abort()
  }
  await markHoles(path, plan)
  const isComplete = await isClipComplete(plan, clip, streams, path, never)
  return { plan, path, writtenBytes, isComplete, remove: () => rm(folder, { recursive: true }) }
}

/** Each packet of a clip with its times and a hash of its bytes, as ffmpeg copies them. */
export const clipPackets = async (path: string, { startSeconds, endSeconds }: Clip, streams = bothStreams) => {
  const start = startSeconds ?? 0
  const duration = endSeconds === null ? [] : ['-t', String(endSeconds - start)]
  const maps = [
    ...(streams.includeVideo ? ['-map', '0:V:0?'] : []),
    ...(streams.includeAudio ? ['-map', '0:a:0?'] : []),
  ]
  const args = ['-ss', String(start), '-i', path, ...duration, ...maps, '-c', 'copy', '-f', 'framemd5', '-']
  const { stdout } = await ffmpeg('/', args)
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size
