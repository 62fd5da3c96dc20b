import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A minute of sound as an mp3 of 480 kB. */
export const makeSong = async (path: string): Promise<void> => {
  const sound = 'sine=frequency=440:duration=60'
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', sound, '-b:a', '64k', '-y', path])
}

/** A film of 2.8 MB: half a minute in 360p. */
export const makeFilm = async (path: string): Promise<void> => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=30']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=30']
  const codecs = ['-c:v', 'libx264', '-b:v', '650k', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '96k']
  await run('ffmpeg', ['-v', 'error', ...picture, ...sound, ...codecs, '-movflags', '+faststart', '-y', path])
}
