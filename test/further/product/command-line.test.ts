import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import type { AccountClient } from '../../support/product/api-client.ts'
import { CLEARED_LINE, CTRL_C, type InstalledHaul, installHaul, screenOf } from '../../support/product/command-line.ts'
import { product } from '../../support/product/product.ts'
import { sha256 } from '../../support/sha256.ts'

/** Pipes, terminals and speech. What commands send and print is in test/rules/client/cli/commands.test.ts. */
const site = product()
let command: InstalledHaul
let client: AccountClient
let env: NodeJS.ProcessEnv

/** For a test that loads the speech model, on a busy machine. */
const SPEECH_TIMEOUT_MS = 120_000
/** Words are found within a minute. */
const SEARCH_TIMEOUT_MS = 90_000
const speech = join(import.meta.dirname, '../../media/clips/0870.flac')

beforeAll(async () => {
  command = await installHaul()
  // If the client has changed, it is compiled first.
}, 60_000)
afterAll(() => command?.remove())

beforeEach(async () => {
  client = await site.newClient()
  env = { HAUL_API_KEY: client.apiKey, HAUL_URL: site.haul.baseUrl, MEDIA: site.media() }
  await command.emptyFolder()
})

const haul = (...args: string[]) => command.run(args, { env })
const inFolder = (name: string) => join(command.folder, name)
const page = (name: string) => `${site.origin.url}/page/${name}`
/** A pipeline without a terminal. Its exit code is that of `haul`. */
const inShell = async (line: string): Promise<{ exitCode: number; output: string }> => {
  const script = `set -o pipefail; ${line}; echo "\${PIPESTATUS[0]}" >&2`
  const { stdout, stderr } = await command.runProgram('bash', ['-c', script], { env })
  return { output: stdout, exitCode: Number(stderr.trim().split('\n').at(-1)) }
}

describe('haul import', () => {
  test('-o - writes the bytes to stdout, and a pipe that is closed early is no error', async () => {
    const whole = await inShell('haul import -q "$MEDIA" -o - | sha256sum')
    const original = await (await fetch(site.media())).bytes()
    expect(whole).toEqual({ exitCode: 0, output: `${sha256(original)}  -\n` })
    expect(await inShell('haul import -q "$MEDIA" -o - | head -c 4 | wc -c')).toEqual({ exitCode: 0, output: '4\n' })
  })

  test('captions, the transcript and what the source says are saved beside the film, under its name', async () => {
    const words = '--captions de,fr --transcript --formats vtt,txt --files info,chapters'.split(' ')
    const { stdout, stderr, exitCode } = await haul('import', page('languages.html'), ...words, '-o', 'talk.mp4')
    expect({ exitCode, paths: stdout.trimEnd().split('\n') }).toEqual({
      exitCode: 0,
      paths: ['mp4', 'de.vtt', 'de.txt', 'transcript.en-GB.vtt', 'transcript.en-GB.txt', 'info.json'].map(
        (suffix) => `talk.${suffix}`,
      ),
    })
    expect(stderr).toContain(
      'No captions (fr): The source has none. (NOT_AT_SOURCE)\nNo chapters: The source has none.',
    )
    expect(await readFile(inFolder('talk.de.vtt'), 'utf8')).toMatch(/^WEBVTT\n/)
    expect(JSON.parse(await readFile(inFolder('talk.info.json'), 'utf8'))).toMatchObject({
      url: page('languages.html'),
    })
  })

  test('on a terminal one line of progress is redrawn within its width, and is gone in the end', async () => {
    const url = `${site.origin.url}/generated/3000000.mp4?ratePerSecond=1500000`
    const { stdout, exitCode } = await command.startInTerminal(['import', url], { env, columns: 60 }).ended
    expect(exitCode).toBe(0)
    const drawn = stdout.split(CLEARED_LINE).slice(1, -1)
    expect(drawn).toContainEqual(expect.stringMatching(/^Downloading /))
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(60)
    expect(screenOf(stdout)).toEqual([expect.stringMatching(/^3000000 · 3\.0 MB · /), '3000000.mp4', ''])
  })

  test('Ctrl-C on a terminal cancels the job and exits with 130, and the part of a file is removed', async () => {
    const url = `${site.origin.url}/generated/30000000.mp4?ratePerSecond=500000`
    const running = command.startInTerminal(['import', url], { env })
    await running.printed(/Downloading/)
    running.type(CTRL_C)
    const { stdout, exitCode } = await running.ended
    const { jobs } = await client.get<{ jobs: { jobId: string; code: string }[] }>('/jobs')
    expect(jobs).toMatchObject([{ code: 'CANCELED' }])
    expect({ exitCode, screen: screenOf(stdout) }).toMatchObject({
      exitCode: 130,
      screen: expect.arrayContaining([`${jobs[0]?.jobId} is canceled.`]),
    })
    expect(await client.account()).toMatchObject({ heldDollars: 0, balanceDollars: 10 })
    expect(await readdir(command.folder)).toEqual([])
  })
})

test('haul search paints words on a terminal, and does not find those of a job with --no-index', {
  timeout: SEARCH_TIMEOUT_MS,
}, async () => {
  const url = page('video.html')
  const jobs = [await haul('transcribe', url, '--mode', 'captions', '--no-index')]
  jobs.push(await haul('transcribe', url, '--mode', 'captions'))
  const [, jobId] = jobs.map(({ stderr }) => /trn_\w+/.exec(stderr)?.[0])
  const words = ['"still a"', 'ton*', '-quarter']
  await vi.waitUntil(async () => (await haul('search', ...words)).stdout, { timeout: 60_000, interval: 500 })
  expect(await haul('search', ...words)).toEqual({
    ...{ stderr: '', exitCode: 0 },
    stdout: `A page with a video (${jobId})  0:00\n  A tone. Still a tone.\n  ${url}\n`,
  })
  const painted = await command.startInTerminal(['search', ...words], { env: { ...env, TERM: 'xterm' } }).ended
  expect(painted.stdout).toContain('\u001b[33mStill a\u001b[39m \u001b[33mtone\u001b[39m.')
  expect((await haul('account')).stdout).toMatch(/^Search: {5}2 passages, \d/m)
})

describe('haul transcribe and haul batch', () => {
  test('a file is uploaded and recognized by the built-in engine, without a question on a terminal', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const running = command.startInTerminal(['transcribe', speech, '-o', 'talk.txt'], { env })
    const { stdout, exitCode } = await running.ended
    expect({ exitCode, screen: screenOf(stdout) }).toMatchObject({
      exitCode: 0,
      screen: expect.arrayContaining(['talk.txt']),
    })
    expect(await readFile(inFolder('talk.txt'), 'utf8')).toMatch(/john dashwood had then leisure to consider/i)
    expect(await client.get('/jobs')).toMatchObject({ jobs: [{ type: 'transcription' }] })
  })

  test('the URLs of a file are imported, a table names those that failed, and the exit code is 1', async () => {
    const urls = [site.media(), site.media('media/nowhere.mp4'), page('none.html')]
    await writeFile(inFolder('urls.txt'), `# films\n${urls.join('\n')}\n`)
    const { stdout, stderr, exitCode } = await haul('batch', 'urls.txt')
    expect(exitCode).toBe(1)
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^# {2}URL +Code +Message$/),
      expect.stringMatching(/^1 {2}http\S+\/media\/nowhere\.mp4 +UNREACHABLE_URL +The URL could not be reached\.$/),
      expect.stringMatching(/^2 {2}http\S+\/page\/none\.html +SOURCE_\w+ +.+$/),
    ])
    expect(stderr).toMatch(/^1 of 3 done, 2 failed · \$0\.00\d+ · bat_\w+$/m)
  })
})

test('haul look shows what a source has and what it costs', async () => {
  const { stdout } = await haul('look', page('video.html'))
  expect(stdout).toMatch(/^Captions: {3}en: \$0\.01$/m)
  expect(stdout).toMatch(/^Import +Download +Price$/m)
})

describe('the key', () => {
  const home = () => ({ XDG_CONFIG_HOME: inFolder('config') })

  test('haul login on a terminal does not show it', async () => {
    const running = command.startInTerminal(['login'], { env: home() })
    await running.printed(/Address of Haul: $/)
    running.type(`${site.haul.baseUrl}\n`)
    await running.printed(/API key \(not shown\): $/)
    running.type(`x\u007f${client.apiKey}\r`)
    const { stdout, exitCode } = await running.ended
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Logged in as test') })
    expect(stdout).not.toContain(client.apiKey)
  })

  test('in a checkout with npm start running nothing needs to be set', async () => {
    const inside = inFolder('checkout/folder')
    await mkdir(inside, { recursive: true })
    await symlink(inject('product').stateDir, inFolder('checkout/.haul'))
    const { stdout, exitCode } = await command.run(['account'], { cwd: inside })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^demo \(acct_/) })
  })
})
