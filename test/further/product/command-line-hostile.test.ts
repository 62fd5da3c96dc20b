import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenOnLoopback } from '../../support/loopback.ts'
import { type InstalledHaul, installHaul } from '../../support/product/command-line.ts'

/** A server that somebody was told to log in to. Its answers would set the title of the terminal, and clear it. */
const ATTACK = '\u001b]0;PWNED\u0007\u001b[2J\u009b\u202e'
const account = {
  accountId: `acct_1${ATTACK}`,
  name: `name${ATTACK}`,
  availableDollars: 1,
  heldDollars: 0,
  limits: {
    concurrentJobs: { import: `2${ATTACK}`, transcription: ATTACK },
    requestsPerHour: { import: ATTACK, transcribe: ATTACK },
  },
}
const dataOf = (url = '') => (url.startsWith('/webhooks') ? { secret: `whsec_1${ATTACK}` } : account)

let command: InstalledHaul
let hostile: { url: string; close: () => Promise<void> }

beforeAll(async () => {
  const server: Server = createServer(({ url }, response) => {
    return response.end(JSON.stringify({ success: true, data: dataOf(url) }))
  })
  hostile = await listenOnLoopback(server)
  command = await installHaul()
}, 60_000)
afterAll(async () => {
  await command?.remove()
  await hostile?.close()
})

const env = () => ({ HAUL_API_KEY: 'any', HAUL_URL: hostile.url, XDG_CONFIG_HOME: command.folder })
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

test.each([
  ['login', /^Logged in as name \(acct_1\), \$1\.00/],
  ['account', /^name \(acct_1\)\n.*\n/],
])('haul %s prints no escape sequences of a server', async (name, shown) => {
  const { stdout, stderr, exitCode } = await command.run([name], { env: env(), input: 'any' })
  expect({ exitCode, stderr: stderr.match(UNSAFE), stdout: stdout.match(UNSAFE) }).toEqual({
    exitCode: 0,
    stderr: null,
    stdout: null,
  })
  expect(stdout).toMatch(shown)
})

test('haul listen prints no escape sequences of a server', async () => {
  const running = command.start(['listen'], { env: env() })
  await running.printed(/whsec_1.*\n/)
  running.kill('SIGINT')
  const { stderr } = await running.ended
  expect(stderr).toMatch(/whsec_1$/m)
  expect(stderr).not.toMatch(UNSAFE)
})
