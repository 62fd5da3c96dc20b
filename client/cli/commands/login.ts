import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type Account, Haul, HaulApiError } from '../../src/index.ts'
import { isLoopback, loginFile, writeLogin } from '../connection.ts'
import { Interrupted, UsageError } from '../exit-codes.ts'
import { type OutputOptions, watchInterrupts } from '../session.ts'
import { printable, printJson, printLine } from '../terminal/output.ts'
import { dollarsText } from '../terminal/quantities.ts'

interface Options extends OutputOptions {
  url?: string
}

export const addLogin = (program: Command): Command =>
  program
    .command('login')
    .summary('store an address and an API key')
    .description(
      'Stores the address of Haul and an API key in a file that only you can read. The key is tried first. It is read without being shown, or from stdin.',
    )
    .option('--url <url>', 'the address of Haul (default: HAUL_URL)')
    .addHelpText('after', '\nExample:\n  haul login --url https://haul.example.com < key.txt')
    .action(login)

const login = async ({ url, json, quiet }: Options): Promise<void> => {
  const signal = watchInterrupts(() => {})
  const baseUrl = normalized(url ?? process.env.HAUL_URL ?? (await askAddress(signal)))
  if (!quiet && new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl)) {
    process.stderr.write(`haul: ${baseUrl} is not encrypted: others on the network can read your key.\n`)
  }
  const apiKey = await readKey()
  if (!apiKey) throw new UsageError('The API key is empty.')
  const account = await accountOf(new Haul({ baseUrl, apiKey }), signal)
  const file = loginFile()
  await writeLogin(file, { baseUrl, apiKey })
  if (json) return printJson(account)
  await printLine(printable(account ? welcome(account) : 'Logged in with a key that may not read the account.'))
  if (!quiet) process.stderr.write(`The key is in ${file}. Delete the file to log out.\n`)
}

const welcome = ({ name, accountId, availableDollars }: Account): string =>
  `Logged in as ${name} (${accountId}), ${dollarsText(availableDollars)} available.`

/** null: the key is accepted, and lacks the scope to read the account. */
const accountOf = (haul: Haul, signal: AbortSignal): Promise<Account | null> =>
  haul.account({ signal }).catch((error) => {
    if (error instanceof HaulApiError && error.code === 'SCOPE_MISSING') return null
    throw error
  })

const askAddress = async (signal: AbortSignal): Promise<string> => {
  if (!process.stdin.isTTY) throw new UsageError('The address is missing: haul login --url https://…')
  return (await ask('Address of Haul: ', signal)) ?? ''
}

const normalized = (address: string): string => {
  const trimmed = address.trim().replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new UsageError(`${trimmed || 'The empty text'} is not an address that starts with https:// or http://.`)
  }
  return trimmed
}

const readKey = async (): Promise<string> => {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  const key = await askSecret('API key (not shown): ')
  if (key === undefined) throw new Interrupted('SIGINT')
  return key.trim()
}

/** Reads a line from the terminal. undefined: the input has ended. */
const ask = async (question: string, signal: AbortSignal): Promise<string | undefined> => {
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
const askSecret = async (question: string): Promise<string | undefined> => {
  const { stdin, stderr } = process
  // Set before the question is shown, because the user may type at once.
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
