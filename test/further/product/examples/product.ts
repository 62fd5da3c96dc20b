import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import { type Origin, startOrigin } from '../../../doubles/origin/origin.ts'
import { product } from '../../../support/product/product.ts'
import { type Command, runScript } from '../../../support/product/start-command.ts'

const clips = join(import.meta.dirname, '../../../media/clips')
/** Tests that load the speech model take so long on a busy machine. */
export const SPEECH_TIMEOUT_MS = 120_000
export const spokenWords = /john dashwood had then leisure to consider/i

/** What the examples have. They find the running product as they find that of `npm start`: by its dev.json. */
export const productForExamples = () => {
  const site = product()
  let recordings: Origin

  beforeAll(async () => {
    await record(site.folder)
    recordings = await startOrigin({ root: site.folder })
  })

  afterAll(() => recordings?.close())

  return {
    get haul() {
      return site.haul
    },
    get client() {
      return site.clientWith(site.haul.apiKey)
    },
    /** A folder that the origin serves under /media/. */
    get folder() {
      return site.folder
    },
    media: (path: string): string => `${recordings.url}/media/${path}`,
    serve: (path: string, content: string | Uint8Array): Promise<void> => writeFile(join(site.folder, path), content),
    /** `npm run example`. Ends with the test. */
    runExample: (args: string[], env: Record<string, string>): Command => {
      const { stateDir } = inject('product')
      const command = runScript(['scripts/run.mjs', 'example', ...args], { HAUL_STATE: stateDir, ...env })
      onTestFinished(async () => {
        command.kill('SIGTERM')
        await command.exited
      })
      return command
    },
  }
}

/** Two sentences of real speech, and some seconds of silence. */
const record = async (cwd: string): Promise<void> => {
  const ffmpeg = (...args: string[]) => promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...args], { cwd })
  const sentences = ['0870', '0880'].flatMap((number) => ['-i', join(clips, `${number}.flac`)])
  await ffmpeg(...sentences, '-filter_complex', 'concat=n=2:v=0:a=1', 'speech.m4a')
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '10', 'silence.m4a')
}

export type Product = ReturnType<typeof productForExamples>
