import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll } from 'vitest'
import { speakerSettings } from '../../../container/config.ts'

type Call = (name: string, ...values: unknown[]) => Promise<never>

/** Calls functions of the Python modules in a folder of the repository, by call.py, which runs while the tests of a file do. */
export const callsTo = (folder: string): Call => {
  let call: Call
  let stop: () => Promise<unknown>
  beforeAll(() => {
    const [script, modules] = [join(import.meta.dirname, 'call.py'), join(import.meta.dirname, '../../..', folder)]
    const program = spawn(speakerSettings({}).python, ['-I', '-B', script, modules], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    program.stderr.on('data', (text) => console.error(`${text}`))
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
    call = async (name, ...values) => {
      program.stdin.write(`${JSON.stringify({ call: name, with: values })}\n`)
      const { value } = await lines.next()
      return JSON.parse(value ?? 'null') as never
    }
    stop = () => {
      program.stdin.end()
      return once(program, 'close')
    }
  })
  afterAll(() => stop())
  return (name, ...values) => call(name, ...values)
}
