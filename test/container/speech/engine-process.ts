import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { speechSettings } from '../../../container/config.ts'

export const script = fileURLToPath(new URL('../../../container/speech/recognizer.py', import.meta.url))

interface HeardWord {
  text: string
  start: number
  end: number
  confidence: number | null
}

/** The last message for a piece. */
export interface Answer {
  event: string
  language: string | null
  probability: number
  words: HeardWord[]
  consumedSamples: number
}

/** recognizer.py itself, with a model of a kind. It ends after the test. `ask` resolves with the answer to a piece. */
export const startEngine = async (kind: string, folder: string, ...type: string[]) => {
  const args = ['-I', '-u', script, kind, folder, '2', ...type]
  const engine = spawn(speechSettings({}).python, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void engine.kill('SIGKILL'))
  const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? '{"event":"ended"}')
  const first = await next()
  if (first.event !== 'ready') throw new Error(first.reason ?? first.event)
  let id = 0
  return {
    ask: async (samples: Buffer, fields: Record<string, unknown> = {}): Promise<Answer> => {
      const asked = { language: 'en', translate: false, vocabulary: null, continues: false, last: true, ...fields }
      engine.stdin.write(`${JSON.stringify({ id: ++id, bytes: samples.byteLength, ...asked })}\n`)
      engine.stdin.write(samples)
      for (;;) {
        const message = await next()
        if (message.event !== 'progress') return message
      }
    },
  }
}

export const textOf = ({ words }: Answer): string =>
  words
    .map(({ text }) => text)
    .join('')
    .trim()
