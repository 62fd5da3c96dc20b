import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startChild } from '../scripts/start/child.ts'
import { basicEnv, root } from '../scripts/start/environment.ts'
import type { DevFile } from '../scripts/start/haul.ts'
import { choosePort } from '../scripts/start/ports.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { makeFilm, makeSong } from './media.ts'

/** A Haul that runs as `npm start` runs it, in processes of its own. */
export type Haul = Pick<DevFile, 'baseUrl' | 'adminToken'> & { pid: number }

export interface Hauls {
  /** Ours, and perhaps that of the checkout HAUL_BEFORE, such as one of the commit before. They take turns. */
  hauls: [Haul, ...Haul[]]
  origin: { url: string; folder: string }
  /** An mp3 of 480 kB. */
  song: string
  /** The URL of another page with a film of 2.8 MB. Programs that keep files by their titles download each of them. */
  newPage(): Promise<string>
  /** A folder that is removed at the end. */
  temporary: string
}

/** `allowed`: another server of the bench that Haul may call. */
export const withHauls = async (
  work: (hauls: Hauls) => Promise<void>,
  allowed: { host: string }[] = [],
): Promise<void> => {
  const temporary = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const folder = join(temporary, 'media')
  await mkdir(folder)
  const origin = await startOrigin({ root: folder })
  const running: Awaited<ReturnType<typeof start>>[] = []
  try {
    await Promise.all([makeSong(join(folder, 'song.mp3')), makeFilm(join(folder, 'film.mp4'))])
    const hosts = [origin, ...allowed].map(({ host }) => host).join()
    const started = async (checkout: string): Promise<Haul> => {
      const next = await start(checkout, join(temporary, `state-${running.length}`), hosts)
      running.push(next)
      return next.haul
    }
    const { HAUL_BEFORE } = process.env
    const ours = await started(root)
    const hauls: Hauls['hauls'] = HAUL_BEFORE ? [ours, await started(resolve(HAUL_BEFORE))] : [ours]
    let pages = 0
    const newPage = async (): Promise<string> => {
      const name = `film-${++pages}`
      const html = `<!doctype html><title>Film ${pages}</title><video src="film.mp4?${pages}"></video>`
      await writeFile(join(folder, `${name}.html`), html)
      return `${origin.url}/media/${name}.html`
    }
    const song = `${origin.url}/media/song.mp3`
    await work({ hauls, origin: { url: origin.url, folder }, song, newPage, temporary })
  } finally {
    await Promise.all(running.map(({ stop }) => stop()))
    await origin.close()
    await rm(temporary, { recursive: true, force: true })
  }
}

const start = async (checkout: string, state: string, allowedHosts: string) => {
  const ports = { PORT: await choosePort(0, 'PORT'), ENGINE_PORT: await choosePort(0, 'ENGINE_PORT') }
  const started = Promise.withResolvers<void>()
  const lines: string[] = []
  const child = startChild(process.execPath, ['scripts/run.mjs', 'start'], {
    cwd: checkout,
    env: {
      ...basicEnv(process.env),
      ...{ HAUL_STATE: state, ALLOW_PRIVATE_HOSTS: allowedHosts },
      ...{ PORT: String(ports.PORT), ENGINE_PORT: String(ports.ENGINE_PORT) },
    },
    onLine: (line) => {
      lines.push(line)
      if (line.startsWith('Haul is running')) started.resolve()
    },
  })
  await Promise.race([
    started.promise,
    child.exited.then(({ reason }) => Promise.reject(new Error(`${checkout}: ${reason}\n${lines.join('\n')}`))),
  ])
  const dev: DevFile = JSON.parse(await readFile(join(state, 'dev.json'), 'utf8'))
  return { haul: { ...dev, pid: child.pid ?? 0 }, stop: () => child.stop() }
}
