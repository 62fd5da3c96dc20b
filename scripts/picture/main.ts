import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { startHaul } from '../start/haul.ts'
import { photograph } from './photograph.ts'

const clips = join(import.meta.dirname, '../../test/media/clips')
const spoken = ['0870', '0880', '0890', '0920', '0930']

/** A film with colours that move slowly, and the recordings that the tests of the speech engine use. Returns its name. */
const makeFilm = async (folder: string): Promise<string> => {
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

/** A screenshot of the console with a film that was imported and transcribed by a running Haul. */
const picture = join(import.meta.dirname, '../../docs/console.png')
const folder = await mkdtemp(join(tmpdir(), 'haul-picture-'))
const film = await makeFilm(folder)
const origin = await startOrigin({ root: folder })
const haul = await startHaul({
  stateDir: join(folder, 'state'),
  env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host },
})
try {
  await photograph(haul, `${origin.url}/media/${film}`, picture)
  console.log(picture)
} finally {
  await haul.stop()
  await origin.close()
  await rm(folder, { recursive: true, force: true })
}
