import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ffmpegProgram } from '../container/sandbox/program-files.ts'
import { startHaul } from '../scripts/start/haul.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { createApiClient } from '../test/support/product/api-client.ts'
import { medianOf } from './timing.ts'

const run = promisify(execFile)

const FILM_SECONDS = 7_200
const CLIP = { start: 3_601, end: 3_721 }

/** Two minutes out of a two-hour HLS film, compared with ffmpeg on the same playlist. */
export const benchClips = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const origin = await startOrigin({ root: folder })
  try {
    const filmBytes = await makeFilm(folder)
    const url = `${origin.url}/media/film.m3u8`
    const own = await medianOf(3, () => ffmpegClip(url, join(folder, 'own.mp4')))
    const env = { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host }
    const haul = await startHaul({ stateDir: join(folder, 'state'), env })
    try {
      const client = createApiClient(haul.baseUrl, haul.apiKey)
      const importClip = async () => {
        const job = await client.ended(await client.start({ url, clip: CLIP }))
        if (job.status !== 'completed') throw new Error(`${job.code}`)
        return job
      }
      const { result } = await importClip()
      const ours = await medianOf(3, importClip)
      const share = (result.downloadedBytes / filmBytes) * 100
      print(
        `two minutes of a two-hour HLS film of ${(filmBytes / 1e6).toFixed(0)} MB: ${share.toFixed(1)} % of its bytes (goal 3 %)`,
      )
      print(
        `  from POST to completed ${ours.toFixed(1)} s, ffmpeg -ss -t -c copy ${own.toFixed(1)} s, ${(ours - own).toFixed(1)} s more (goal 5 s)`,
      )
    } finally {
      await haul.stop()
    }
  } finally {
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const ffmpegClip = (url: string, output: string) => {
  const times = ['-ss', String(CLIP.start), '-t', String(CLIP.end - CLIP.start)]
  return run(ffmpegProgram('ffmpeg'), ['-v', 'error', '-y', ...times, '-i', url, '-c', 'copy', output])
}

/** A minute, repeated, in segments of six seconds with a keyframe every two. Resolves to its size. */
const makeFilm = async (folder: string): Promise<number> => {
  const minute = join(folder, 'minute.ts')
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=60']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=60']
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '350k', '-g', '50', '-pix_fmt', 'yuv420p']
  await run('ffmpeg', ['-v', 'error', ...picture, ...sound, ...codecs, '-c:a', 'aac', '-b:a', '64k', minute])
  const repeated = ['-stream_loop', String(FILM_SECONDS / 60 - 1), '-i', minute, '-c', 'copy']
  const hls = ['-f', 'hls', '-hls_time', '6', '-hls_playlist_type', 'vod']
  const names = ['-hls_segment_filename', join(folder, 'part_%04d.ts'), join(folder, 'film.m3u8')]
  await run('ffmpeg', ['-v', 'error', ...repeated, ...hls, ...names])
  const parts = (await readdir(folder)).filter((name) => name.startsWith('part_'))
  const sizes = await Promise.all(parts.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
