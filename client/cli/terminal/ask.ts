import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Reads a line from the terminal. undefined: the input has ended. */
export const ask = async (question: string, signal: AbortSignal): Promise<string | undefined> => {
  process.stderr.write(question)
  // The terminal itself handles editing and Ctrl-C.
  const lines = createInterface({ input: process.stdin, terminal: false, signal })
  const ended = new AbortController()
  try {
    const either = AbortSignal.any([signal, ended.signal])
    const [line] = await Promise.race([
      once(lines, 'line', { signal: either }),
      once(lines, 'close', { signal: either }),
    ])
    return line
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    ended.abort()
    lines.close()
  }
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACE = /[\b\u007f]/
const ENTER = /[\r\n]/

/** Reads a line without showing it. undefined: Ctrl-C or Ctrl-D. */
export const askSecret = async (question: string): Promise<string | undefined> => {
  const { stdin, stderr } = process
  // Before the question: who sees it may type.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  stdin.resume()
  try {
    let secret = ''
    for (;;) {
      const [text] = (await once(stdin, 'data')) as [string]
      for (const character of text) {
        if (character === CTRL_C || character === CTRL_D) return undefined
        if (ENTER.test(character)) return secret
        secret = BACKSPACE.test(character) ? secret.slice(0, -1) : secret + character
      }
    }
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}
