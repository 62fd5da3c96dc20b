import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { claimPort } from '../../scripts/start/ports.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { createApiClient } from '../product/api-client.ts'
import { type Command, runScript } from '../product/start-command.ts'

const clips = join(import.meta.dirname, '../container/speech/clips')
/** For tests that load the speech model, on a busy machine. */
export const SPEECH_TIMEOUT_MS = 120_000
export const spokenWords = /john dashwood had then leisure to consider/i

/** One product for all examples. They find it as they find a running `npm start`: by its dev.json. */
export const productForExamples = () => {
  let haul: Haul
  let origin: Origin
  let folder: string
  const ports: number[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haul-examples-'))
    await record(folder)
    origin = await startOrigin({ root: folder })
    // Claimed before the start, because Haul sends webhooks to private addresses only if they are in its settings.
    for (let count = 0; count < PORTS; count++) ports.push(await claimPort(0, 'PORT'))
    const allowed = [origin.host, ...ports.map((port) => `127.0.0.1:${port}`)]
    haul = await startHaul({
      stateDir: join(folder, 'state'),
      env: { ...process.env, ALLOW_PRIVATE_HOSTS: allowed.join() },
    })
    // wrangler, D1 migrations, the container's yt-dlp and the speech model: 10 s on 2 quiet cores.
  }, 90_000)

  afterAll(async () => {
    await haul?.stop()
    await origin?.close()
    await rm(folder, { recursive: true, force: true })
  })

  return {
    get haul() {
      return haul
    },
    get client() {
      return createApiClient(haul.baseUrl, haul.apiKey)
    },
    /** A folder that the origin serves under /media/. */
    get folder() {
      return folder
    },
    media: (path: string): string => `${origin.url}/media/${path}`,
    serve: (path: string, content: string | Uint8Array): Promise<void> => writeFile(join(folder, path), content),
    /** A port that Haul may send webhooks to. */
    nextPort: (): number => {
      const port = ports.pop()
      if (port === undefined) throw new Error(`More than ${PORTS} ports are needed.`)
      return port
    },
    /** `npm run example`. Ends with the test. */
    runExample: (args: string[], env: Record<string, string>): Command => {
      const command = runScript(['scripts/example.mjs', ...args], { HAUL_STATE: haul.state.dir, ...env })
      onTestFinished(async () => {
        command.kill('SIGTERM')
        await command.exited
      })
      return command
    },
  }
}

const PORTS = 10

/** Two sentences of real speech, and some seconds of silence. */
const record = async (cwd: string): Promise<void> => {
  const ffmpeg = (...args: string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...args], { cwd })
  const sentences = ['0870', '0880'].flatMap((number) => ['-i', join(clips, `${number}.flac`)])
  await ffmpeg(...sentences, '-filter_complex', 'concat=n=2:v=0:a=1', 'speech.m4a')
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '10', 'silence.m4a')
}

export type Product = ReturnType<typeof productForExamples>
