import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toolsDir } from '../../scripts/setup/paths.mjs'
import { ensureVenv } from '../../scripts/setup/python.mjs'
import { startChild } from '../../scripts/start/child.ts'
import { basicEnv, root } from '../../scripts/start/environment.ts'
import { choosePort } from '../../scripts/start/ports.ts'
import { pick } from '../../self-host/settings.ts'

export const howToGetMetube =
  'MeTube takes part if METUBE_DIR is a checkout: git clone https://github.com/alexta69/metube; METUBE_DIR=metube npm run bench -- pages'

/** Between reads of its history, by one caller for all pages: it has no way to wait for an end. */
const HISTORY_MS = 20

const atOnce = process.env.MAX_CONCURRENT_DOWNLOADS ?? '3, its default'

export const howMetubeRan = `MeTube: MAX_CONCURRENT_DOWNLOADS ${atOnce}; its history was read ${HISTORY_MS} ms after each answer`

/**
 * MeTube with its own settings, the packages
 * of its pyproject.toml and our version of yt-dlp. null without METUBE_DIR.
 */
export const startMetube = async (temporary: string, print: (line: string) => void) => {
  if (!process.env.METUBE_DIR) return null
  const checkout = resolve(process.env.METUBE_DIR)
  const python = await installPackages(checkout, temporary, print)
  const url = `http://127.0.0.1:${await choosePort(0, 'PORT')}`
  const folder = join(temporary, 'metube')
  // Without the build of its console, which is not measured, it wants an empty folder.
  for (const needed of ['ui/dist/metube/browser', 'downloads', 'state'])
    await mkdir(join(folder, needed), { recursive: true })
  const env = {
    ...basicEnv(process.env),
    ...pick(process.env, ['MAX_CONCURRENT_DOWNLOADS']),
    ...{ HOST: '127.0.0.1', PORT: new URL(url).port, ALLOW_PRIVATE_ADDRESSES: 'true' },
    ...{ BASE_DIR: folder, DOWNLOAD_DIR: join(folder, 'downloads'), STATE_DIR: join(folder, 'state') },
  }
  const lines: string[] = []
  const child = startChild(python, ['app/main.py'], { cwd: checkout, env, onLine: (line) => void lines.push(line) })
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok || JSON.parse(text).status === 'error') throw new Error(`MeTube: ${response.status} ${text}`)
  }
  const history = async () => (await fetch(`${url}/history`)).json() as Promise<{ done: Download[] }>
  while (!(await history().catch(() => null))) {
    const exited = await Promise.race([child.exited, sleep(HISTORY_MS)])
    if (exited) throw new Error(`MeTube ended: ${exited.reason}\n${lines.slice(-20).join('\n')}`)
  }
  let forgotten: Promise<void> | null = null
  return {
    /** From `POST /add` for each, until `GET /history` has all as finished. They leave it then, so that it stays short. */
    download: async (pages: string[]): Promise<void> => {
      await forgotten
      await Promise.all(
        pages.map((page) => post('add', { url: page, download_type: 'video', format: 'any', quality: 'best' })),
      )
      for (;;) {
        const { done } = await history()
        const failed = done.find(({ status }) => status !== 'finished')
        if (failed) throw new Error(`MeTube: ${failed.url}: ${failed.status} ${failed.msg}`)
        if (done.length === pages.length) break
        await sleep(HISTORY_MS)
      }
      forgotten = post('delete', { ids: pages, where: 'done' })
    },
    stop: () => child.stop(),
  }
}

interface Download {
  url: string
  status: string
  msg: string | null
}

const installPackages = async (checkout: string, temporary: string, print: (line: string) => void): Promise<string> => {
  const project = await readFile(join(checkout, 'pyproject.toml'), 'utf8')
  const [, list = ''] = /^dependencies = \[(.*?)^\]/ms.exec(project) ?? []
  const packages = [...list.matchAll(/"(.*?)"/g)].map(([, name]) => name)
  const [ytdlp] = /^yt-dlp==\S+/m.exec(await readFile(join(root, 'container/requirements.txt'), 'utf8')) ?? []
  const requirements = join(temporary, 'metube.txt')
  await writeFile(requirements, [...packages, ytdlp].join('\n'))
  return ensureVenv({ folder: join(toolsDir, 'metube'), requirements, what: 'MeTube', minimumMinor: 13 }, print)
}
