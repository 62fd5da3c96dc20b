import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { type Origin, startOrigin } from '../doubles/origin/origin.ts'
import type { AccountClient } from '../support/product/api-client.ts'
import { product } from '../support/product/product.ts'
import type { Client } from './clients.ts'
import { type Given, runClient } from './run.ts'

/** What the clients of a file have: the product, an account, a recording of a voice, and a page whose media has captions. */
export const workspace = () => {
  const site = product()
  let recordings: Origin
  let account: AccountClient

  beforeAll(async () => {
    const media = join(site.folder, 'media')
    await makeTalk(media)
    recordings = await startOrigin({ root: media })
    account = await site.newClient()
  })

  afterAll(() => recordings?.close())

  const media = (name: string): string => join(site.folder, 'media', name)

  return {
    site,
    get account() {
      return account
    },
    media,
    get page() {
      return `${recordings.url}/media/talk.html`
    },
    /** What the program of a client prints. */
    outputOf: async (client: Client, given: Partial<Given> = {}): Promise<string> => {
      const cwd = await mkdtemp(join(site.folder, 'client-'))
      for (const name of ['talk.mp3', 'talk.wav', 'talk.flac']) await copyFile(media(name), join(cwd, name))
      const address = { url: site.haul.baseUrl, apiKey: account.apiKey, page: `${recordings.url}/media/talk.html` }
      const { code, output, errors } = await runClient(client, { ...address, cwd, ...given })
      if (code !== 0)
        throw new Error(`${client.program} ended with ${code}: ${errors.slice(-4_000)}${output.slice(-4_000)}`)
      return output
    },
  }
}

const voice = join(import.meta.dirname, '../media/clips/0870.flac')

/** Makes a folder with the recording in three formats, and a page whose media has captions. */
export const makeTalk = async (cwd: string): Promise<void> => {
  await mkdir(cwd)
  await writeFile(join(cwd, 'talk.vtt'), captions)
  await writeFile(join(cwd, 'talk.html'), page)
  await copyFile(voice, join(cwd, 'talk.flac'))
  const sound = ['-v', 'error', '-nostdin', '-i', voice, '-b:a', '64k']
  await promisify(execFile)('ffmpeg', [...sound, 'talk.mp3', '-ar', '16000', '-ac', '1', 'talk.wav'], { cwd })
}

export const spoken = /john dashwood had then leisure to consider/i

export const captioned = 'Today we look at the tides.'
const captions = `WEBVTT

00:00.500 --> 00:02.000
Good morning, and welcome.

00:02.500 --> 00:05.000
${captioned}
`
const page = `<!doctype html><title>A talk</title>
<video src="/media/talk.mp3"><track kind="captions" src="/media/talk.vtt" srclang="en"></video>`

/** Python's larger packages take half a minute to load on a busy machine. */
const CLIENT_TIMEOUT_MS = 300_000

/** Why the clients of a file that pins them could not be installed. */
const missing: Record<string, string> = JSON.parse(process.env.HAUL_CLIENTS ?? '{}')

/** A test for each client. Those that could not be installed on this machine are skipped, and `npm run test:clients` names them. */
export const testEach = (clients: Client[], what: string, check: (client: Client) => Promise<void>): void => {
  for (const client of clients) {
    test.skipIf(client.from in missing)(`${client.name} ${what}`, { timeout: CLIENT_TIMEOUT_MS }, () => check(client))
  }
}
