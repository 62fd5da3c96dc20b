import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrigin } from '../../test/origin/origin.ts'
import { startHaul } from '../start/haul.ts'
import { makeFilm } from './film.ts'
import { photograph } from './photograph.ts'

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
