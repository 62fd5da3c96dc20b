import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const clips = join(import.meta.dirname, '../../test/container/speech/clips')
const spoken = ['0870', '0880', '0890', '0920', '0930']

/** A film with colours that move slowly, and the recordings that the tests of the speech engine use. Returns its name. */
export const makeFilm = async (folder: string): Promise<string> => {
  const name = 'Sense-and-Sensibility.mp4'
  const colours = 'gradients=s=1280x720:r=25:speed=0.02:c0=0x1b3a4b:c1=0x2f6f6a:c2=0xd9a441:n=3'
  const sound = spoken.flatMap((number) => ['-i', join(clips, `${number}.flac`)])
  const inputs = spoken.map((_, index) => `[${index + 1}:a]`).join('')
  await promisify(execFile)(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', colours, ...sound],
      ...['-filter_complex', `${inputs}concat=n=${spoken.length}:v=0:a=1[sound]`, '-map', '0:v', '-map', '[sound]'],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest'],
      ...['-movflags', '+faststart', name],
    ],
    { cwd: folder },
  )
  return name
}
